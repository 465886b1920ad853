import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPasswords } from '../../../src/server/domain/accounts/password.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { trpcRequest } from '../../support/app/trpc-call.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import { until } from '../../support/until.ts'
import { cheapPasswords, createUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
let app: HttpApp
/** A separate process, so that the flood and the server do not share a thread. */
let server: AppServer

/** Passwords that the app in this process hashed. */
let hashes = 0

beforeAll(async () => {
  const passwords = createPasswords()
  const hash: typeof passwords.hash = (...args) => {
    hashes++
    return passwords.hash(...args)
  }
  app = await startHttpApp({}, { ...passwords, hash })
})
afterAll(() => app?.close())

async function call(procedure: string, input: object, address: string, signal?: AbortSignal) {
  const request = trpcRequest(server.url, procedure, input, { 'x-pigeonhole-address': address })
  const { status } = await fetch(request, { signal })
  return status
}

describe('while one address sends 300 attempts within a second', () => {
  beforeEach(async () => {
    server = await spawnAppServer(app.env)
  })
  // Do not wait for passwords that are still being hashed: for all these tests, that takes half a minute of CPU.
  afterEach(() => server.kill())

  type Attempt = (host: number) => [procedure: string, input: object, address: string]
  const stranger = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD })

  test.each<[string, Attempt]>([
    ['sign-ups', () => ['account.signUp', stranger(), '10.2.0.2']],
    ['correct passwords of its own accounts', (n) => ['session.create', own[n % own.length]!, '10.2.0.3']],
    [
      'wrong passwords, from any address of an IPv6 network',
      (n) => ['session.create', stranger(), `2001:db8:1:2::${n}`],
    ],
  ])('(%s), others sign in without waiting for them', async (_, attempt) => {
    const owner = await createUser(app, { password: PASSWORD })
    const signIn = (host: number) =>
      call('session.create', { email: owner.email, password: PASSWORD }, `10.3.0.${host}`)
    expect(await signIn(1)).toBe(200)

    const over = new AbortController()
    const seen = { checked: 0, rejected: 0, failed: 0 }
    const hostile = Array.from({ length: 300 }, (_, n) =>
      call(...attempt(n), over.signal).then(
        (status) => {
          if (status === 429) seen.rejected++
          // On a busy machine, the database can be too slow for some, which get 500.
          else if (status >= 500) seen.failed++
          else seen.checked++
        },
        () => {},
      ),
    )
    await until(
      'attempts beyond the limits are rejected',
      () => seen.rejected > 0 && seen.rejected + seen.failed >= 200,
    )
    for (let host = 2; host < 5; host++) {
      const before = seen.checked
      expect(await signIn(host)).toBe(200)
      // At most one attempt of the attacking address ran at the same time, and none was queued ahead of it.
      expect(seen.checked - before, JSON.stringify(seen)).toBeLessThanOrEqual(5)
    }
    over.abort()
    await Promise.all(hostile)
  })

  const own = Array.from({ length: 60 }, (_, n) => ({ email: `own-${n}@example.com`, password: PASSWORD }))
  beforeAll(async () => {
    await app.db.query(
      'INSERT INTO users (id, email, password_hash) SELECT gen_random_uuid(), unnest($1::text[]), $2',
      [own.map(({ email }) => email), await cheapPasswords.hash(PASSWORD)],
    )
  })
})

describe('sign-ups from one address', () => {
  const signUp = (from: string) =>
    app.call(
      'account.signUp',
      { email: `${randomUUID()}@example.com`, password: PASSWORD },
      { 'x-pigeonhole-address': from },
    )
  const counted = (from: string, accounts: number) =>
    app.db.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, $2, $3)', [
      `signup:${from}`,
      accounts,
      Date.now() + 3_600_000,
    ])

  test('are limited to 60 a day, more than a classroom needs; then 429 with the reason', async () => {
    const from = '10.4.0.1'
    expect((await signUp(from)).status).toBe(200)
    await app.db.query("UPDATE rate_limits SET points = 59 WHERE key = 'signup:10.4.0.1'")
    expect((await signUp(from)).status).toBe(200)
    const rejected = await signUp(from)
    expect(rejected).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(rejected.message).toContain('At most 60 accounts can be created')
    expect(rejected.data.retryAfterSeconds).toBeGreaterThan(86_000)
    expect(rejected.data.retryAfterSeconds).toBeLessThanOrEqual(86_400)
    expect((await signUp('10.4.0.2')).status).toBe(200)
  })

  test('above the limit are rejected before they queue, and no password is hashed', async () => {
    const from = '10.4.0.3'
    expect((await signUp('10.4.0.4')).status).toBe(200)
    expect(hashes).toBeGreaterThan(0)
    await counted(from, 60)
    hashes = 0
    const answers = []
    for (let i = 0; i < 10; i++)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => signUp(from)))))
    expect(new Set(answers.map((one) => one.message))).toEqual(
      new Set([expect.stringContaining('At most 60 accounts can be created')]),
    )
    expect(hashes).toBe(0)
  })
})
