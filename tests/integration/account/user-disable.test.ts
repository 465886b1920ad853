import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { createUser, sessionOf } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const HELLO = { title: 'Hello', body: 'World' }
let app: PushApp
let other: Awaited<ReturnType<PushApp['replica']>>
let db: Db

// Start no workers: the test reads the recipients of a broadcast itself and has nothing to wait for.
beforeAll(async () => {
  app = await startPushApp({ idle: true })
  other = await app.replica()
  db = createDb(app.config.databaseUrl, 2)
})
afterAll(async () => {
  await db.close()
  await app.close()
})

const by = { actor: 'admin', userId: null, address: '192.0.2.7', at: new Date() }
const disable = (id: string) => createManagedUserRepo(db).update(id, { disabled: true }, by)
const enable = (id: string) => createManagedUserRepo(db).update(id, { disabled: false }, by)
const signIn = (email: string, password = PASSWORD) =>
  other.mutate(null, 'session.create', { email, password })
const dryRun = async (token: string, target: object) =>
  (await other.send(token, { ...HELLO, ...target, dryRun: true })).data.audience

describe('a disabled user, at once in all replicas', () => {
  test('is signed out, and stays signed out when enabled again', async () => {
    const user = await createUser(app.services)
    // Both replicas have seen the session.
    for (const replica of [app, other]) expect((await replica.query(user, 'account.usage')).status).toBe(200)
    await disable(user.id)
    for (const replica of [app, other]) expect((await replica.query(user, 'account.usage')).status).toBe(401)
    await enable(user.id)
    expect((await other.query(user, 'account.usage')).status).toBe(401)
  })

  test('cannot sign in with the password, which looks like a wrong one', async () => {
    const user = await createUser(app.services, { password: PASSWORD })
    await disable(user.id)
    const right = await signIn(user.email)
    const wrong = await signIn(user.email, 'not the password')
    expect(right.status).toBe(401)
    expect(right.data.error.message).toBe(wrong.data.error.message)
    await enable(user.id)
    expect((await signIn(user.email)).status).toBe(200)
  })

  test('cannot sign in with a provider, known or by a verified email', async () => {
    const user = await createUser(app.services)
    const identity = (providerAccountId: string) => ({
      provider: 'oidc:test',
      providerAccountId,
      email: user.email,
      emailVerified: true,
      name: null,
    })
    const known = identity(randomUUID())
    const enter = (one: typeof known) => other.services.auth.resolveIdentity(one, 'test')
    expect(await enter(known)).toMatchObject({ id: user.id })
    await disable(user.id)
    expect(await enter(known)).toBe('AccountDisabled')
    expect(await enter(identity(randomUUID()))).toBe('AccountDisabled')
  })

  test('cannot register a device in a call that was authenticated before that', async () => {
    const user = await createUser(app.services)
    const session = await sessionOf(app.services, user.headers)
    await disable(user.id)
    const device = {
      app: 'default',
      platform: 'android',
      token: randomUUID(),
      environment: 'production',
    } as const
    const late = other.services.push.devices.register(session, device, 'test')
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('has push tokens that do not work until the user is enabled', async () => {
    const user = await createUser(app.services)
    const token = await app.tokenOf(user.id)
    await disable(user.id)
    for (const replica of [app, other]) expect((await replica.send(token, HELLO)).status).toBe(401)
    await enable(user.id)
    expect((await other.send(token, HELLO)).status).toBe(200)
  })

  test('has API keys that do not work until the user is enabled', async () => {
    const user = await createUser(app.services)
    const { data } = await app.mutate(user, 'apiKeys.create', { name: 'ci', scopes: ['files:read'] })
    const key = { headers: { authorization: `Bearer ${data.token}` } }
    const listed = async () => {
      const answers = await Promise.all([app, other].map((replica) => replica.query(key, 'files.list')))
      return answers.map(({ status }) => status)
    }
    expect(await listed()).toEqual([200, 200])
    await disable(user.id)
    expect(await listed()).toEqual([401, 401])
    await enable(user.id)
    expect(await listed()).toEqual([200, 200])
  })

  test('gets no pushes: neither to one user nor to several users nor to everyone', async () => {
    const [user, neighbour] = [await createUser(app.services), await createUser(app.services)]
    for (const { id } of [user, neighbour]) await seedDevices(app.db, 2, { userId: id })
    const token = await app.tokenOf(neighbour.id)
    const before = await dryRun(token, { all: true })
    await disable(user.id)
    expect(await dryRun(token, { all: true })).toMatchObject({
      ios: before.ios - 1,
      android: before.android - 1,
    })
    expect(await dryRun(token, { userIds: [user.id, neighbour.id] })).toMatchObject({ ios: 1, android: 1 })
    const direct = await other.send(token, { ...HELLO, userId: user.id })
    expect(direct).toMatchObject({ status: 200, data: { audience: { ios: 0, android: 0 }, sent: 0 } })
    await enable(user.id)
    expect(await dryRun(token, { userId: user.id })).toMatchObject({ ios: 1, android: 1 })
  })

  test('loses the queued pushes of their tokens, which the audit log records', async () => {
    const user = await createUser(app.services)
    await seedDevices(app.db, 2, { userId: user.id })
    const token = await app.tokenOf(user.id)
    const queued = await app.send(token, { ...HELLO, all: true })
    await disable(user.id)
    // Disabling the user again has no effect.
    expect(await disable(user.id)).toBe('updated')
    await enable(user.id)
    expect((await other.message(token, queued.data.id)).data).toMatchObject({ status: 'cancelled', sent: 0 })
    const { rows } = await app.db.query(
      `SELECT action, actor, address, details FROM audit_entries WHERE user_id = $1 AND action LIKE 'user.%' ORDER BY id`,
      [user.id],
    )
    const from = { actor: 'admin', address: '192.0.2.7' }
    expect(rows).toEqual([
      { action: 'user.disabled', ...from, details: { cancelled: 1 } },
      { action: 'user.enabled', ...from, details: {} },
    ])
  })

  test('cannot queue a broadcast in a call that was authenticated before that', async () => {
    const user = await createUser(app.services)
    const token = await app.tokenOf(user.id)
    const sender = (await app.services.push.tokens.authenticate(token))!
    await disable(user.id)
    const late = other.services.push.send({ ...sender, address: 'test' }, { ...HELLO, all: true })
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

test('is excluded from a broadcast that was queued before', async () => {
  const [user, neighbour] = [await createUser(app.services), await createUser(app.services)]
  for (const { id } of [user, neighbour]) await seedDevices(app.db, 2, { userId: id })
  const token = await app.tokenOf(neighbour.id)
  const { data } = await app.send(token, { ...HELLO, userIds: [user.id, neighbour.id] })
  const everyone = await app.send(token, { ...HELLO, all: true })
  await disable(user.id)
  const worker = await app.replica()
  worker.services.push.worker.start()
  await worker.completed(token, data.id)
  await worker.completed(token, everyone.data.id)
  const countsOf = async ({ id }: { id: string }) => {
    const { rows } = await app.db.query('SELECT platform, token FROM devices WHERE user_id = $1', [id])
    return rows.map((d) => (d.platform === 'ios' ? app.apns : app.fcm).requestLog.countOf(d.token))
  }
  expect(await countsOf(neighbour)).toEqual([2, 2])
  expect(await countsOf(user)).toEqual([0, 0])
})

test('disabling an unknown user returns NOT_FOUND', async () => {
  expect(await disable(randomUUID())).toBe('notFound')
  expect(await enable(randomUUID())).toBe('notFound')
})
