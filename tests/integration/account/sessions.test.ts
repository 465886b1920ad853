import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuditRepo } from '../../../src/server/adapters/postgres/accounts/audit-repo.ts'
import { createEmailTokenRepo } from '../../../src/server/adapters/postgres/accounts/email-token-repo.ts'
import { createPasskeyRepo } from '../../../src/server/adapters/postgres/accounts/passkey-repo.ts'
import { createSessionRepo } from '../../../src/server/adapters/postgres/accounts/session-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { createSessionSweeper, createSessions } from '../../../src/server/domain/accounts/sessions.ts'
import { createAudit } from '../../../src/server/kernel/audit.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createSession, createUser, sessionOf } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const COOKIE = 'next-auth.session-token'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'
const CLIENT = { userAgent: null }
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
let app: HttpApp
let db: Db
let statements = 0

beforeAll(async () => {
  app = await startHttpApp()
  db = createDb(app.config.databaseUrl, 5)
  db.pool.on('acquire', () => statements++)
})
afterAll(async () => {
  await db.close()
  await app.close()
})

async function isAlive(token: string, services = app.services): Promise<boolean> {
  const request = new Request(app.url, { headers: { authorization: `Bearer ${token}` } })
  return (await services.authenticate(request)) !== null
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const sessionsOf = async (token: string) =>
  (await app.call('account.sessions', undefined, bearer(token))).data.items

/** Sessions with the test's clock, and a user for them. */
async function withClock(start: Date) {
  const clock = { time: start, now: () => clock.time }
  const sessions = createSessions({
    repo: createSessionRepo(db),
    adminsNeedPasskey: false,
    clock,
    audit: createAudit({ repo: createAuditRepo(db), clock, log: app.services.log }),
  })
  const { email } = await createUser(app.services)
  const user = await db.user.findUniqueOrThrow({ where: { email } })
  return { clock, sessions, user }
}

test('signing out ends the session for every copy of its token', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const browser = new Browser()
  await browser.postAuth(app.url, 'callback/credentials', { email: user.email, password: PASSWORD })
  const first = browser.cookies.get(COOKIE)!
  await browser.session(app.url)
  const renewed = browser.cookies.get(COOKIE)!
  expect(renewed).not.toBe(first)
  expect(await Promise.all([first, renewed].map((t) => isAlive(t)))).toEqual([true, true])
  await browser.signOut(app.url)
  expect(await Promise.all([first, renewed].map((t) => isAlive(t)))).toEqual([false, false])
  // The user's other session is unaffected.
  expect(await isAlive(user.token)).toBe(true)
})

test('a sign-out that the database cannot record is a server error and keeps the cookie', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const browser = new Browser()
  await browser.postAuth(app.url, 'callback/credentials', { email: user.email, password: PASSWORD })
  await app.db.query('ALTER TABLE sessions RENAME TO sessions_away')
  try {
    expect((await browser.postAuth(app.url, 'signout', {})).status).toBe(500)
  } finally {
    await app.db.query('ALTER TABLE sessions_away RENAME TO sessions')
  }
  expect((await browser.session(app.url)).user.id).toBe(user.id)
})

test('the list shows the user’s own sessions only, last seen first', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await createUser(app.services)
  const { data } = await app.call(
    'session.create',
    { email: user.email, password: PASSWORD },
    { 'user-agent': FIREFOX },
  )
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const common = { id: expect.any(String), createdAt: time, lastSeenAt: time }
  expect(await sessionsOf(user.token)).toEqual([
    { ...common, client: 'Firefox on Linux', current: false },
    { ...common, client: null, current: true },
  ])
  expect((await sessionsOf(data.token)).map((s: { current: boolean }) => s.current)).toEqual([true, false])
})

test('a revoked session is rejected at once by every replica, despite its cache', async () => {
  const replica = await startTestApp({}, app.config.databaseUrl)
  try {
    const user = await createUser(app.services)
    const other = await createSession(app.services, user.id)
    for (const services of [app.services, replica.services]) expect(await isAlive(other, services)).toBe(true)
    const { id } = (await sessionsOf(other)).find((s: { current: boolean }) => s.current)
    const revoke = () => app.call('account.revokeSession', { id }, user.headers)
    expect((await revoke()).data).toEqual({ success: true })
    for (const services of [app.services, replica.services])
      expect(await isAlive(other, services)).toBe(false)
    expect((await revoke()).code).toBe('NOT_FOUND')
    expect(await isAlive(user.token)).toBe(true)
  } finally {
    await replica.close()
  }
})

test("another user's session cannot be revoked and looks like one that does not exist", async () => {
  const [user, stranger] = await Promise.all([createUser(app.services), createUser(app.services)])
  const [{ id }] = await sessionsOf(user.token)
  const answers = await Promise.all(
    [id, '019aa000-0000-7000-8000-000000000000', 'x', ''].map((given) =>
      app.call('account.revokeSession', { id: given }, stranger.headers),
    ),
  )
  for (const { code, message } of answers)
    expect({ code, message }).toEqual({ code: 'NOT_FOUND', message: answers[0]!.message })
  expect(await isAlive(user.token)).toBe(true)
})

test('a session lives 30 days from its last use and at most 90 days from its sign-in', async () => {
  const { clock, sessions, user } = await withClock(new Date())
  const gap = fc.oneof(
    fc.integer({ min: 0, max: 40 * DAY }),
    // Test around both limits, where mistakes happen.
    fc.constantFrom(30 * DAY - 10 * MINUTE, 30 * DAY, 30 * DAY + 1, DAY, 3 * MINUTE),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(gap, { minLength: 1, maxLength: 12 }), async (gaps) => {
      const startedAt = clock.time.getTime()
      const { id } = await sessions.begin(user, CLIENT, 'password')
      let seenAt = startedAt
      for (const ms of gaps) {
        clock.time = new Date(clock.time.getTime() + ms)
        const now = clock.time.getTime()
        const alive = now < seenAt + 30 * DAY && now < startedAt + 90 * DAY
        expect((await sessions.find(id)) !== null).toBe(alive)
        if (!alive) return
        // Uses within five minutes of the last recorded one are not recorded.
        if (now - seenAt >= 5 * MINUTE) seenAt = now
      }
    }),
    { numRuns: 60 },
  )
})

test('checking a session takes one statement, and a second one at most every five minutes', async () => {
  const { clock, sessions, user } = await withClock(new Date())
  const { id } = await sessions.begin(user, CLIENT, 'password')
  const used = async () => {
    statements = 0
    await sessions.find(id)
    return statements
  }
  const counts: number[] = []
  for (const minutes of [0, 4, 2, 1, 4]) {
    clock.time = new Date(clock.time.getTime() + minutes * MINUTE)
    counts.push(await used())
  }
  expect(counts).toEqual([1, 1, 2, 1, 2])
})

test('the user’s last use is recorded with the session’s, so not more often', async () => {
  const { clock, sessions, user } = await withClock(new Date('2026-01-01T00:00:00Z'))
  const lastSeen = async () => (await db.user.findUniqueOrThrow({ where: { id: user.id } })).lastSeenAt
  expect(await lastSeen()).toBeNull()
  const { id } = await sessions.begin(user, CLIENT, 'password')
  expect(await lastSeen()).toEqual(clock.time)
  const created = clock.time
  clock.time = new Date(created.getTime() + 4 * MINUTE)
  await sessions.find(id)
  expect(await lastSeen()).toEqual(created)
  clock.time = new Date(created.getTime() + 5 * MINUTE)
  await sessions.find(id)
  expect(await lastSeen()).toEqual(clock.time)
})

test('a sign-in that read the user before all sessions were ended creates no session afterwards', async () => {
  const { sessions, user } = await withClock(new Date())
  await db.user.update({ where: { id: user.id }, data: { sessionEpoch: { increment: 1 } } })
  const { id } = await sessions.begin(user, CLIENT, 'password')
  expect(await sessions.find(id)).toBeNull()
  expect((await sessions.list(user.id, id)).items).toEqual([])
})

test('a request that was authenticated before all sessions were ended cannot set the password afterwards', async () => {
  const user = await createUser(app.services)
  const session = await sessionOf(app.services, user.headers)
  await app.db.query('UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1', [user.id])
  const caller = { address: 'test', userAgent: null }
  const change = app.services.accounts.changePassword(session, { newPassword: PASSWORD }, caller)
  await expect(change).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('beyond 100 sessions, the least recently used ones end', async () => {
  const { clock, sessions, user } = await withClock(new Date())
  const ids: string[] = []
  for (let i = 0; i < 102; i++) {
    clock.time = new Date(clock.time.getTime() + 10 * MINUTE)
    ids.push((await sessions.begin(user, CLIENT, 'password')).id)
    if (i === 99) await sessions.find(ids[0]!)
  }
  const { items } = await sessions.list(user.id, '')
  expect(items).toHaveLength(100)
  const gone = ids.filter((id) => !items.some((item) => item.id === id))
  expect(gone).toEqual([ids[1], ids[2]])
})

test('sweeping deletes only the rows of expired sessions, even in several replicas at once', async () => {
  const { clock, sessions, user } = await withClock(new Date('2000-01-01T00:00:00Z'))
  await db.session.deleteMany({ where: { userId: user.id } })
  for (let i = 0; i < 20; i++) await sessions.begin(user, CLIENT, 'password')
  clock.time = new Date(clock.time.getTime() + 20 * DAY)
  const { id } = await sessions.begin(user, CLIENT, 'password')
  clock.time = new Date(clock.time.getTime() + 10 * DAY)
  const sweeper = () =>
    createSessionSweeper({
      repo: createSessionRepo(db),
      emailTokens: createEmailTokenRepo(db),
      passkeys: createPasskeyRepo(db, { adminsNeedPasskey: false, providers: [] }),
      clock,
      log: { warn() {} },
    })
  const swept = await Promise.all([sweeper().run(), sweeper().run()])
  expect(swept[0]!.sessions + swept[1]!.sessions).toBe(20)
  expect(await db.session.findMany({ where: { userId: user.id }, select: { id: true } })).toEqual([{ id }])
})

test('a deleted account has no sessions', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await app.call('account.delete', { password: PASSWORD }, user.headers)
  expect(await isAlive(user.token)).toBe(false)
})
