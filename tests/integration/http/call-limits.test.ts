import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRateCounter } from '../../../src/server/adapters/postgres/rate-counter.ts'
import { createCallLimit } from '../../../src/server/api/access/call-limit.ts'
import { MAX_RUNNING_CALLS, MAX_WAITING_CALLS } from '../../../src/server/api/access/call-queue.ts'
import { downloadFile, showThumbnail } from '../../../src/server/api/http/file-download.ts'
import type { Clock } from '../../../src/server/kernel/clock.ts'
import { type HttpAnswer, type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { until } from '../../support/until.ts'
import { createSession, createUser, type TestUser } from '../../support/users.ts'

const LIMIT = 100
const FILE = { filename: 'a.png', mimeType: 'image/png', size: 1000 }
let app: HttpApp
/** App with the default limit. */
let unlimited: HttpApp

beforeAll(async () => {
  const keys = { S3_ACCESS_KEY_ID: 'test-access-key', S3_SECRET_ACCESS_KEY: 'test-secret-key' }
  app = await startHttpApp({ ...keys, API_RATE_PER_MINUTE: String(LIMIT) })
  unlimited = await startHttpApp(keys)
})
afterAll(async () => {
  await app.close()
  await unlimited.close()
})

/** Sends a batch of equal calls. `comma` is how the request separates the paths. */
async function batch(
  at: HttpApp,
  user: Pick<TestUser, 'headers'>,
  { path, calls, input, comma = ',', flag = 'batch=1', signal }: Batch,
): Promise<{ status: number; body: unknown; text: string; retryAfter: string | null }> {
  const inputs = JSON.stringify(Object.fromEntries(Array.from({ length: calls }, (_, i) => [i, input])))
  const query = path.endsWith('list')
  const url = `${at.url}/api/trpc/${Array(calls).fill(path).join(comma)}?${flag}`
  const response = await fetch(query && calls < 50 ? `${url}&input=${encodeURIComponent(inputs)}` : url, {
    method: query ? 'GET' : 'POST',
    headers: { ...user.headers, ...(!query && { 'content-type': 'application/json' }) },
    ...(!query && { body: inputs }),
    signal,
  })
  const text = await response.text()
  return {
    status: response.status,
    body: JSON.parse(text),
    text,
    retryAfter: response.headers.get('retry-after'),
  }
}
type Batch = {
  path: string
  calls: number
  input?: unknown
  comma?: string
  flag?: string
  signal?: AbortSignal
}

const filesOf = async (at: HttpApp, user: TestUser) =>
  (await at.db.query('SELECT count(*)::int AS n FROM files WHERE user_id = $1', [user.id])).rows[0].n

/** Makes calls one after another until one is rejected. Returns the number of accepted calls, and the rejected one. */
async function untilRejected(user: TestUser, from = app) {
  for (let answered = 0; ; answered++) {
    const answer = await from.call('files.list', undefined, user.headers)
    if (answer.status !== 200) return { answered, rejected: answer }
  }
}

describe('a batch', () => {
  test('of more than 20 calls is rejected as a whole with the limit, in any notation', async () => {
    const user = await createUser(unlimited.services)
    const tooMany: Batch[] = [
      { path: 'upload.requestUploadUrl', calls: 21, input: FILE },
      { path: 'upload.requestUploadUrl', calls: 21, input: FILE, comma: '%2C' },
      { path: 'upload.requestUploadUrl', calls: 21, input: FILE, comma: '%2c', flag: '%62atch=%31' },
      { path: 'upload.getPartUrls', calls: 600, input: { fileId: 'x', partNumbers: [1] } },
      // Send as many calls as fit into the 16 KB of a request's headers.
      { path: 'files.list', calls: 1400 },
    ]
    for (const one of tooMany) {
      const { status, body, text } = await batch(unlimited, user, one)
      expect(status, JSON.stringify(one)).toBe(400)
      expect(body).toMatchObject({
        error: {
          message: expect.stringMatching(
            /^A batch can have at most 20 calls\..*maxItems of httpBatchLink to 20/,
          ),
          data: { code: 'BAD_REQUEST', httpStatus: 400 },
        },
      })
      expect(text.length).toBeLessThan(1000)
    }
    expect(await filesOf(unlimited, user)).toBe(0)
  })

  test('of 20 calls gets a response for each call', async () => {
    const user = await createUser(unlimited.services)
    const { status, body } = await batch(unlimited, user, {
      path: 'upload.requestUploadUrl',
      calls: 20,
      input: FILE,
    })
    expect(status).toBe(200)
    expect(body).toHaveLength(20)
    expect(await filesOf(unlimited, user)).toBe(20)
  })

  test('returns at most 4 MiB of query results; calls that no longer fit are rejected', async () => {
    const user = await createUser(unlimited.services)
    const { id } = await unlimited.services.push.tokens.create(
      { userId: user.id, name: 'test', expiresInDays: 1, allowBroadcast: true },
      { actor: 'admin', address: 'test' },
    )
    // 100 messages of 3.5 KB: ten pages have 3.5 MB, 20 have 7 MB.
    await unlimited.db.query(
      `INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, expires_at)
       SELECT gen_random_uuid(), $1, $2, 'general', $3, 'completed', now() FROM generate_series(1, 100)`,
      [id, user.id, { title: 't', body: 'b'.repeat(3500), category: 'general', priority: 'high' }],
    )
    const page = { path: 'messages.list', input: { limit: 100 } }
    const half = await batch(unlimited, user, { ...page, calls: 10 })
    expect(half.status).toBe(200)
    const whole = await batch(unlimited, user, { ...page, calls: 20 })
    expect(whole.text.length).toBeLessThan(4.2 * 1024 * 1024)
    const answers = whole.body as { result?: unknown; error?: { message: string; data: { code: string } } }[]
    expect(answers).toHaveLength(20)
    expect(answers.filter((one) => one.result).length).toBeGreaterThanOrEqual(10)
    const rejected = answers.filter((one) => one.error)
    expect(rejected.length).toBeGreaterThan(0)
    for (const { error } of rejected) {
      expect(error!.data.code).toBe('BAD_REQUEST')
      expect(error!.message).toContain('4194304 bytes')
    }
  })
})

describe('a user', () => {
  // A test during which a new minute starts sees two windows.
  const WINDOWS = 2

  test('can make this many calls a minute, then gets 429 with Retry-After before the procedure runs', async () => {
    const user = await createUser(app.services)
    const { answered, rejected } = await untilRejected(user)
    expect(answered).toBeGreaterThanOrEqual(LIMIT)
    expect(answered).toBeLessThanOrEqual(WINDOWS * LIMIT)
    expect(rejected).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(rejected.message).toBe(
      'You can make at most 100 calls per minute. Wait, then continue more slowly.',
    )
    expect(Number(rejected.headers.get('retry-after'))).toBe(rejected.data.retryAfterSeconds)
    expect(rejected.data.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect(rejected.data.retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  test('uses up the limit with each call of a batch, and rejected calls have no effect', async () => {
    const user = await createUser(app.services)
    const batches = await Promise.all(
      Array.from({ length: WINDOWS * 6 }, () =>
        batch(app, user, { path: 'upload.requestUploadUrl', calls: 20, input: FILE }),
      ),
    )
    const answers = batches.flatMap(({ body }) => body as { error?: { data: { code: string } } }[])
    const ok = answers.filter((one) => !one.error).length
    expect(ok).toBeGreaterThanOrEqual(LIMIT)
    expect(ok).toBeLessThanOrEqual(WINDOWS * LIMIT)
    const codes = new Set(answers.flatMap(({ error }) => error?.data.code ?? []))
    expect([...codes]).toEqual(['TOO_MANY_REQUESTS'])
    expect(await filesOf(app, user)).toBe(ok)
    expect(batches.some(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
  })

  test('uses up the limit with downloads and thumbnails too', async () => {
    const { headers } = await createUser(app.services)
    const request = () => new Request('http://app.test/files/none', { headers })
    const statuses = new Set<number>()
    for (let n = 0; n <= WINDOWS * LIMIT; n++)
      statuses.add((await [downloadFile, showThumbnail][n % 2]!(request(), app.services, 'none')).status)
    expect([...statuses]).toEqual([404, 429])
  })

  test('is not affected by calls of another user, or of an address without a session', async () => {
    const [one, other] = [await createUser(app.services), await createUser(app.services)]
    const from = { 'x-pigeonhole-address': '10.1.0.1' }
    const codes: (string | undefined)[] = []
    while (!codes.includes('TOO_MANY_REQUESTS')) {
      codes.push((await app.call('files.list', undefined, from)).code)
      expect(codes.length).toBeLessThanOrEqual(WINDOWS * LIMIT + 1)
    }
    expect(codes.length).toBeGreaterThan(LIMIT)
    // Call from another address of the same IPv4 network, and from the same address with a session.
    expect((await app.call('files.list', undefined, { 'x-pigeonhole-address': '10.1.0.2' })).status).toBe(401)
    expect((await app.call('files.list', undefined, { ...from, ...one.headers })).status).toBe(200)
    await untilRejected(one)
    expect((await app.call('files.list', undefined, other.headers)).status).toBe(200)
  })
})

describe('the queue of a user', () => {
  const list = { path: 'files.list', calls: 20 }
  let unlock: () => Promise<void> = async () => {}
  // A failed test must release its lock, or the app would never close.
  afterEach(() => unlock())

  /** Blocks every statement on files. */
  async function lockFiles() {
    const locker = await unlimited.db.connect()
    await locker.query('BEGIN; LOCK TABLE files')
    unlock = async () => {
      unlock = async () => {}
      await locker.query('ROLLBACK')
      locker.release()
    }
  }

  const atWork = async () => {
    const { rows } = await unlimited.db.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM files%'`,
    )
    return rows[0].n
  }

  test('is limited, shared by the user’s sessions and downloads, and does not affect others while full', async () => {
    const [user, other] = [await createUser(unlimited.services), await createUser(unlimited.services)]
    const token = await createSession(unlimited.services, user.id)
    const secondSession = { authorization: `Bearer ${token}` }
    await lockFiles()
    const batches = Array.from({ length: (MAX_RUNNING_CALLS + MAX_WAITING_CALLS) / 20 }, () =>
      batch(unlimited, user, list),
    )
    // The last calls are rejected, whether in a batch or not. On a slow machine, statements that reach their time limit
    // make room for more.
    const extra: Promise<HttpAnswer>[] = []
    let rejected: HttpAnswer | undefined
    const callMore = () => {
      const call = unlimited.call('files.list', undefined, secondSession)
      extra.push(call)
      call.then((answer) => {
        if (answer.status === 429) rejected ??= answer
      })
    }
    await until('a call is rejected', async () => {
      if (!rejected) callMore()
      return rejected !== undefined
    })
    expect(rejected).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(rejected!.message).toBe(
      'You can have at most 20 calls running and 300 waiting. Retry after some of them finish.',
    )
    expect(rejected!.headers.get('retry-after')).toBe('1')
    const download = new Request('http://app.test/files/none', { headers: secondSession })
    expect((await downloadFile(download, unlimited.services, 'none')).status).toBe(429)
    await until('the user’s calls fill all their places', async () => (await atWork()) === MAX_RUNNING_CALLS)
    for (let n = 0; n < 3; n++)
      expect((await unlimited.call('account.usage', undefined, other.headers)).status).toBe(200)
    expect(await atWork()).toBeLessThanOrEqual(MAX_RUNNING_CALLS)
    await unlock()
    const answers = (await Promise.all(batches)).flatMap(
      ({ body }) => body as { error?: { data: { code: string } } }[],
    )
    const codes = [
      ...answers.map(({ error }) => error?.data.code),
      ...(await Promise.all(extra)).map(({ code }) => code),
    ]
    expect(codes.length).toBe(MAX_RUNNING_CALLS + MAX_WAITING_CALLS + extra.length)
    expect(codes.filter((code) => code === 'TOO_MANY_REQUESTS').length).toBeLessThanOrEqual(extra.length)
  })

  test('drops the calls of a closed connection', async () => {
    const [user, other] = [await createUser(unlimited.services), await createUser(unlimited.services)]
    await lockFiles()
    const lists = batch(unlimited, user, list)
    await until('the user’s calls fill all their places', async () => (await atWork()) === MAX_RUNNING_CALLS)
    const gone = new AbortController()
    const requests = { path: 'upload.requestUploadUrl', calls: 20, input: FILE }
    const leaving = Promise.allSettled(
      [1, 2, 3].map(() => batch(unlimited, user, { ...requests, signal: gone.signal })),
    )
    const othersAreServed = async () => {
      for (let n = 0; n < 3; n++)
        expect((await unlimited.call('account.usage', undefined, other.headers)).status).toBe(200)
    }
    await othersAreServed()
    gone.abort()
    await othersAreServed()
    await unlock()
    expect((await lists).status).toBe(200)
    expect((await leaving).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect((await unlimited.call('upload.requestUploadUrl', FILE, user.headers)).status).toBe(200)
    expect(await filesOf(unlimited, user)).toBe(1)
  })
})

describe('the call counter', () => {
  const minute = { now: new Date('2026-01-01T00:00:00Z') }
  const clock: Clock = { now: () => minute.now }

  /** Creates a replica's limit on the shared counter. `admits` waits for pending updates of the counter. */
  function replica(callsPerMinute: number, prefix: string) {
    const counter = createRateCounter(app.db, { prefix, windowSeconds: 60 })
    const pending = new Set<Promise<unknown>>()
    const faults: string[] = []
    let statements = 0
    const countCall = createCallLimit({
      callsPerMinute,
      clock,
      counter: {
        increment(key, events) {
          statements++
          const one = counter.increment(key, events)
          pending.add(one)
          return one
        },
      },
      report: (event) => faults.push(event),
    })
    return {
      faults,
      statements: () => statements,
      async admits(key: string) {
        try {
          countCall(key)
        } catch {
          return false
        }
        await Promise.allSettled(pending)
        pending.clear()
        return true
      },
    }
  }

  test('is shared by replicas: three together accept the limit, plus at most one batch for each other replica', async () => {
    const replicas = [1, 2, 3].map(() => replica(500, 'shared'))
    let admitted = 0
    let rejected = 0
    while (rejected < replicas.length) {
      rejected = 0
      for (const one of replicas) (await one.admits('user:a')) ? admitted++ : rejected++
    }
    // A batch is a fiftieth of the limit: 10 calls.
    expect(admitted).toBeGreaterThanOrEqual(500)
    expect(admitted).toBeLessThanOrEqual(500 + 2 * 10)
    const statements = replicas.reduce((sum, one) => sum + one.statements(), 0)
    expect(statements).toBeLessThanOrEqual(admitted / 10 + replicas.length)
    // The next minute starts at zero.
    minute.now = new Date('2026-01-01T00:01:00Z')
    expect(await replicas[0]!.admits('user:a')).toBe(true)
  })

  test('needs no statement for a caller with few calls', async () => {
    const one = replica(6000, 'few')
    for (let i = 0; i < 100; i++) expect(await one.admits('user:b')).toBe(true)
    expect(one.statements()).toBe(0)
  })

  test('works without the database, separately in each replica, and logs that once a minute', async () => {
    const one = replica(50, 'away')
    await app.db.query('ALTER TABLE rate_limits RENAME TO rate_limits_away')
    try {
      const answers: boolean[] = []
      for (let i = 0; i < 60; i++) answers.push(await one.admits('user:c'))
      expect(answers.filter(Boolean)).toHaveLength(50)
      expect(one.faults).toEqual(['calls could not be counted across replicas'])
    } finally {
      await app.db.query('ALTER TABLE rate_limits_away RENAME TO rate_limits')
    }
  })
})
