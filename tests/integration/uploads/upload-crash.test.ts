import type { Operation } from '@pigeonhole/emulators/s3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

// Holds one server at every step at once, each with its own file, then kills it. Another server gets the same calls.
// The emulator's script holds steps in the store; a lock on the owner's row holds steps in the database. `before` ends
// the waiting statement; `after` lets it through once its process is dead.

const SIZE = 6000
const MIB = 1024 * 1024

type Step = { operation: Operation; prefix: 'staging/' | 'files/' } | 'database'
type Case = { call: string; step: Step; point: 'before' | 'after' }
type Prepared = Case & {
  user: TestUser
  fileId: string
  key: string
  bytes: Buffer
  unlock?: () => Promise<void>
}

const STEPS: Record<string, Step[]> = {
  'upload.confirmUpload': [
    { operation: 'GetObject', prefix: 'staging/' },
    { operation: 'CopyObject', prefix: 'files/' },
    { operation: 'HeadObject', prefix: 'files/' },
    'database',
    { operation: 'DeleteObject', prefix: 'staging/' },
  ],
  'upload.completeMultipart': [
    { operation: 'ListParts', prefix: 'files/' },
    { operation: 'CompleteMultipartUpload', prefix: 'files/' },
    { operation: 'GetObject', prefix: 'files/' },
    'database',
  ],
  'upload.abortMultipart': [
    { operation: 'AbortMultipartUpload', prefix: 'files/' },
    { operation: 'ListParts', prefix: 'files/' },
    { operation: 'DeleteObject', prefix: 'files/' },
    'database',
  ],
}
/** The step before the change of state. */
function lastInStore(call: string): Exclude<Step, 'database'> {
  const step = STEPS[call]![STEPS[call]!.indexOf('database') - 1]
  return step as Exclude<Step, 'database'>
}
function isCleanup({ call, step }: Case): boolean {
  const steps = STEPS[call]!
  return steps.indexOf(step) > steps.indexOf('database')
}
const CASES: Case[] = Object.entries(STEPS)
  .flatMap(([call, steps]) =>
    steps.flatMap((step) => (['before', 'after'] as const).map((point) => ({ call, step, point }))),
  )
  .filter((one) => !isRejected(one))
/** After an abort, the store returns 404, so no work remains after which to hold that step. */
function isRejected({ call, step, point }: Case): boolean {
  const listing = step !== 'database' && step.operation === 'ListParts'
  return call === 'upload.abortMultipart' && listing && point === 'after'
}
const nameOf = ({ call, step, point }: Case) =>
  `${call}, ${point} ${step === 'database' ? 'the change of state' : `${step.operation} ${step.prefix}`}`

describe('after kill -9 between two steps, the same call again leads to one file with correct bytes and quota', () => {
  let app: UploadApp
  let other: AppServer
  const prepared = new Map<string, Prepared>()
  const answers = new Map<string, Awaited<ReturnType<AppServer['call']>>>()

  beforeAll(async () => {
    app = await startUploadApp()
    const victim = await spawnAppServer(app.env)
    other = await spawnAppServer(app.env)
    for (const one of CASES) {
      const ready = await prepare(app, one)
      prepared.set(nameOf(one), ready)
      if (one.step === 'database') ready.unlock = await lockOwner(app, ready)
      // The last step before a change of state is held too.
      const { operation, prefix } = one.step === 'database' ? lastInStore(one.call) : one.step
      app.s3.faults.add({
        id: ready.fileId,
        operation,
        keyPattern: `^${prefix}.*${ready.fileId}`,
        action: {
          kind: 'hold',
          name: ready.fileId,
          point: one.step === 'database' ? 'before' : one.point,
        },
      })
    }
    // Start all calls at once, and only now: the victim gives up after it has waited three times 8 s for a silent store.
    // Steps after a change of state come last, because their calls succeed without them.
    const all = [...prepared.values()].sort((a, b) => Number(isCleanup(a)) - Number(isCleanup(b)))
    // Start a few at a time, because a call waits at most 4.5 s for a connection to the database.
    const lost: Promise<unknown>[] = []
    for (let first = 0; first < all.length; first += 6) {
      const some = all.slice(first, first + 6)
      for (const { user, call, fileId } of some)
        lost.push(victim.call(user, call, { fileId }).catch((error) => error))
      await Promise.all(some.map((one) => app.s3.faults.waitForHeld(one.fileId)))
    }
    // Start these together and last, because PostgreSQL ends a statement that waits for a lock after 4.5 s.
    const inDatabase = all.filter((one) => one.step === 'database')
    for (const { fileId } of inDatabase) {
      app.s3.faults.remove(fileId)
      app.s3.faults.release(fileId)
    }
    await until(
      'all changes of state wait for the lock',
      async () => (await waiting(app)).length === inDatabase.length,
    )
    await victim.kill()
    await endStatements(
      app,
      inDatabase.filter((one) => one.point === 'before'),
    )
    await Promise.all(inDatabase.map((one) => one.unlock?.()))
    for (const one of inDatabase) one.unlock = undefined
    // Every call was interrupted, and none got a response.
    for (const result of await Promise.all(lost)) expect(result).toBeInstanceOf(Error)
    app.s3.faults.reset()
    app.s3.faults.release()
    const repeats = [...prepared]
    await atOnce(6, repeats.length, async (n) => {
      const [name, { user, call, fileId }] = repeats[n]!
      answers.set(name, await other.call(user, call, { fileId }))
    })
  })
  afterAll(async () => {
    for (const one of prepared.values()) await one.unlock?.()
    await other?.stop()
    await app?.close()
  })

  test.each(CASES.map(nameOf))('%s', async (name) => {
    const { call, user, fileId, key, bytes } = prepared.get(name)!
    expect(answers.get(name)?.error).toBeUndefined()
    expect(answers.get(name)?.data.success).toBe(true)
    const state = await app.ok(user, 'upload.status', { fileId })
    const usage = await app.ok(user, 'account.usage')
    if (call === 'upload.abortMultipart') {
      expect(state.state).toBe('ABORTED')
      expect(usage).toMatchObject({ used: 0, reserved: 0 })
      expect(app.s3.requestLog.bytesStored(key)).toBe(0)
    } else {
      expect(state.state).toBe('READY')
      expect(usage).toMatchObject({ used: bytes.length, reserved: 0 })
      expect(
        app.s3.requestLog.objects('files/').filter((object) => object.key.includes(fileId)),
      ).toHaveLength(1)
      expect(app.s3.requestLog.uploads(key)).toEqual([])
      const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
      expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true)
    }
    // A second repetition gets the same response.
    expect((await other.call(user, call, { fileId })).data).toEqual(answers.get(name)?.data)
  })

  test('afterwards every user’s quota equals the sum over the user’s files', async () => {
    expect(await drift(app.db)).toEqual([])
  })

  test('staged bytes that the killed server left are removed by the sweeper once the URLs have expired', async () => {
    await app.db.query(
      `UPDATE files SET cleanup_after = now() - make_interval(secs => 1), url_expires_at = now() - interval '2 hours' WHERE total_parts IS NULL`,
    )
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
  })
})

/** Prepares everything up to the call: the bytes are in the store. */
async function prepare(app: UploadApp, one: Case): Promise<Prepared> {
  const user = await app.user()
  const simple = one.call === 'upload.confirmUpload'
  // Add a second part only if the store joins parts, because 5 MiB take time.
  const joins = one.step !== 'database' && one.step.operation === 'CompleteMultipartUpload'
  const bytes = png(joins ? 5 * MIB + SIZE : SIZE)
  const file = { filename: 'a.png', mimeType: 'image/png', size: bytes.length }
  if (simple) {
    const created = await app.ok(user, 'upload.requestUploadUrl', file)
    await put(created.uploadUrl, bytes, created.headers)
    return { ...one, user, bytes, fileId: created.fileId, key: created.key }
  }
  const partNumbers = joins ? [1, 2] : [1]
  const created = await app.ok(user, 'upload.initiateMultipart', { ...file, totalParts: partNumbers.length })
  const { parts } = await app.ok(user, 'upload.getPartUrls', { fileId: created.fileId, partNumbers })
  for (const { partNumber, uploadUrl } of parts)
    await put(uploadUrl, bytes.subarray((partNumber - 1) * 5 * MIB, partNumber * 5 * MIB))
  return { ...one, user, bytes, fileId: created.fileId, key: created.key }
}

/** Locks the owner's row, for which changes of state wait because they also change the owner's sums. */
async function lockOwner(app: UploadApp, { user }: Prepared): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: app.env.DATABASE_URL, application_name: user.id })
  await client.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id])
  return () => client.end()
}

/** Returns the statements that wait for a lock, with the owner whose row is locked. */
async function waiting(app: UploadApp): Promise<{ pid: number; holder: string }[]> {
  const { rows } = await app.db.query(
    `SELECT waiter.pid, holder.application_name AS holder FROM pg_stat_activity AS waiter
     CROSS JOIN LATERAL unnest(pg_blocking_pids(waiter.pid)) AS blocker (pid)
     JOIN pg_stat_activity AS holder ON holder.pid = blocker.pid
     WHERE waiter.datname = current_database()`,
  )
  return rows
}

/** Cancels the statements that wait for these owners' rows, as if they had never run. */
async function endStatements(app: UploadApp, some: Prepared[]): Promise<void> {
  const owners = some.map(({ user }) => user.id)
  const theirs = (await waiting(app)).filter(({ holder }) => owners.includes(holder))
  await app.db.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [
    theirs.map(({ pid }) => pid),
  ])
}
