import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  androidToken,
  iosToken,
  type PushApp,
  seedDevices,
  startPushApp,
} from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

const register = (user: TestUser | null, input: object) => app.mutate(user, 'devices.register', input)
const list = async (user: TestUser) => (await app.query(user, 'devices.list')).data.items
const push = { title: 't', body: 'b' }

describe('devices.register', () => {
  test('lists registered devices, last seen first, with only the end of each token', async () => {
    const user = await app.user()
    const ios = iosToken()
    const android = androidToken()
    await register(user, {
      platform: 'ios',
      token: ios.toUpperCase(),
      name: 'My phone',
      environment: 'sandbox',
    })
    await register(user, { platform: 'android', token: android })
    const items = await list(user)
    expect(items).toEqual([
      {
        id: expect.any(String),
        platform: 'android',
        app: 'default',
        name: null,
        environment: 'production',
        tokenSuffix: android.slice(-8),
        disabledReason: null,
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
      },
      expect.objectContaining({ name: 'My phone', environment: 'sandbox', tokenSuffix: ios.slice(-8) }),
    ])
    expect(JSON.stringify(items)).not.toContain(android)
  })

  test('accepts 1,000 new devices per user and day, then returns 429; known devices are always accepted', async () => {
    const user = await app.user()
    const known = { platform: 'ios', token: iosToken() }
    expect((await register(user, known)).status).toBe(200)
    await app.db.query('UPDATE rate_limits SET points = 999 WHERE key = $1', [`new-devices:${user.id}`])
    for (let i = 0; i < 3; i++) expect((await register(user, known)).status).toBe(200)
    const last = { platform: 'android', token: androidToken() }
    expect((await register(user, last)).status).toBe(200)
    // Removing a device does not free its slot, because webhooks report each removal.
    await app.mutate(user, 'devices.unregister', { token: last.token })
    const before = await list(user)
    const rejected = await register(user, { platform: 'ios', token: iosToken() })
    expect(rejected.status).toBe(429)
    expect(rejected.data.error.data.code).toBe('TOO_MANY_REQUESTS')
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect(await list(user)).toEqual(before)
    expect((await register(user, known)).status).toBe(200)
    expect((await register(await app.user(), { platform: 'ios', token: iosToken() })).status).toBe(200)
  })

  test('registering again refreshes and enables the same device', async () => {
    const user = await app.user()
    const token = iosToken()
    const first = await register(user, { platform: 'ios', token, name: 'Phone' })
    await app.db.query(
      `UPDATE devices SET disabled_reason = 'BadDeviceToken', last_seen_at = '2020-01-01' WHERE id = $1`,
      [first.data.id],
    )
    const again = await register(user, { platform: 'ios', token: token.toUpperCase() })
    expect(again.data.id).toBe(first.data.id)
    const [device] = await list(user)
    expect(device).toMatchObject({ disabledReason: null, name: 'Phone' })
    expect(Date.parse(device.lastSeenAt)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('registering by another user moves the device, so that its pushes reach the new owner', async () => {
    const [ann, bob] = [await app.user(), await app.user()]
    const token = androidToken()
    await register(ann, { platform: 'android', token, name: "Ann's phone" })
    await register(bob, { platform: 'android', token })
    expect(await list(ann)).toMatchObject([{ disabledReason: 'SIGNED_IN_ELSEWHERE' }])
    expect(await list(bob)).toMatchObject([{ name: null, disabledReason: null }])
    const toAnn = await app.send(await app.tokenOf(ann.id), push)
    expect(toAnn.data.audience).toEqual({ ios: 0, android: 0, web: 0 })
    const toBob = await app.send(await app.tokenOf(bob.id), push)
    expect(toBob.data.sent).toBe(1)
  })

  test('a moved device stays in the former owner’s list, and the audit log names the new owner', async () => {
    const [ann, bob] = [await app.user(), await app.user()]
    const token = iosToken()
    const phone = { platform: 'ios', token, name: "Ann's phone", environment: 'sandbox' }
    const { data } = await register(ann, phone)
    const [before] = await list(ann)
    await register(bob, { platform: 'ios', token })
    expect(await list(ann)).toEqual([{ ...before, disabledReason: 'SIGNED_IN_ELSEWHERE' }])
    const { rows } = await app.db.query(`SELECT * FROM audit_entries WHERE subject_id = $1`, [data.id])
    expect(rows).toMatchObject([
      { action: 'device.moved', actor: `user:${bob.id}`, user_id: ann.id, details: { to: bob.id } },
    ])
    expect(rows[0].address).not.toBeNull()
    // Dismissing the entry, by ID or by token, leaves the new owner's device alone.
    await app.mutate(ann, 'devices.remove', { deviceId: data.id })
    expect(await list(ann)).toEqual([])
    expect(await list(bob)).toHaveLength(1)
    // The device moves back. Only the user who lost it still sees an entry for it.
    await register(ann, phone)
    expect(await list(ann)).toMatchObject([{ disabledReason: null }])
    expect(await list(bob)).toMatchObject([{ id: data.id, disabledReason: 'SIGNED_IN_ELSEWHERE' }])
    await app.mutate(bob, 'devices.unregister', { token: token.toUpperCase() })
    expect(await list(bob)).toEqual([])
    expect(await list(ann)).toHaveLength(1)
  })

  test('two users registering the same token at once: exactly one of them gets it', async () => {
    const users = await Promise.all([app.user(), app.user(), app.user()])
    for (let round = 0; round < 5; round++) {
      const token = iosToken()
      const answers = await Promise.all(users.map((user) => register(user, { platform: 'ios', token })))
      expect(answers.map((a) => a.status)).toEqual([200, 200, 200])
      const { rows } = await app.db.query('SELECT user_id FROM devices WHERE token = $1', [token])
      expect(rows).toHaveLength(1)
      const moved = await app.db.query(
        'SELECT user_id FROM moved_devices WHERE token_suffix = $1 AND user_id <> $2',
        [token.slice(-8), rows[0].user_id],
      )
      expect(moved.rows).toHaveLength(2)
    }
  })

  test('keeps at most 100 devices per user, even in parallel, and drops the least recently seen ones', async () => {
    const user = await app.user()
    const { ids } = await seedDevices(app.db, 99, { userId: user.id })
    await app.db.query(`UPDATE devices SET last_seen_at = now() - interval '1 day' WHERE user_id = $1`, [
      user.id,
    ])
    await app.db.query(`UPDATE devices SET last_seen_at = '2020-01-01' WHERE id = ANY ($1)`, [
      ids.slice(0, 5),
    ])
    const fresh = Array.from({ length: 6 }, androidToken)
    await Promise.all(fresh.map((token) => register(user, { platform: 'android', token })))
    const items = await list(user)
    expect(items).toHaveLength(100)
    const left = new Set(items.map((d: { id: string }) => d.id))
    expect(ids.slice(0, 5).filter((id) => left.has(id))).toEqual([])
    expect(ids.slice(5).every((id) => left.has(id))).toBe(true)
  })

  test('accepts tokens of the minimum and maximum length', async () => {
    const user = await app.user()
    for (const token of ['a'.repeat(64), randomBytes(100).toString('hex')])
      expect((await register(user, { platform: 'ios', token })).status).toBe(200)
    const long = randomBytes(3072).toString('base64url')
    expect(long).toHaveLength(4096)
    for (const token of ['x', long])
      expect((await register(user, { platform: 'android', token })).status).toBe(200)
    expect(await list(user)).toHaveLength(4)
  })

  test.each([
    ['63 hex digits', { platform: 'ios', token: 'a'.repeat(63) }, 'token'],
    ['201 hex digits', { platform: 'ios', token: 'a'.repeat(201) }, 'token'],
    ['characters that are not hex', { platform: 'ios', token: 'g'.repeat(64) }, 'token'],
    ['an empty token', { platform: 'android', token: '' }, 'token'],
    ['4097 characters', { platform: 'android', token: 'a'.repeat(4097) }, 'token'],
    ['a space', { platform: 'android', token: 'a b' }, 'token'],
    ['a control character', { platform: 'android', token: 'a\0b' }, 'token'],
    ['an unknown platform', { platform: 'windows', token: 'abc' }, 'platform'],
    ['no platform', { token: 'abc' }, 'platform'],
    ['an unknown environment', { platform: 'ios', token: 'a'.repeat(64), environment: 'dev' }, 'environment'],
    ['a long name', { platform: 'android', token: 'abc', name: 'n'.repeat(101) }, 'name'],
    ['an unknown field', { platform: 'android', token: 'abc', user: 'x' }, 'user'],
  ])('returns BAD_REQUEST for %s', async (_, input, field) => {
    const { status, data } = await register(await app.user(), input)
    expect(status).toBe(400)
    expect(data.error.data.code).toBe('BAD_REQUEST')
    expect(Object.keys(data.error.data.fieldErrors)).toEqual([field])
  })

  test('returns UNAUTHORIZED without a session, like all of devices.* and preferences.*', async () => {
    const answers = [
      await register(null, { platform: 'android', token: 'abc' }),
      await app.mutate(null, 'devices.unregister', { token: 'abc' }),
      await app.query(null, 'devices.list'),
      await app.query(null, 'preferences.get'),
      await app.mutate(null, 'preferences.update', { pushEnabled: true }),
    ]
    for (const { status, data } of answers) {
      expect(status).toBe(401)
      expect(data.error.data.code).toBe('UNAUTHORIZED')
    }
  })
})

describe('devices.unregister', () => {
  test('ends pushes to the device, and can be repeated', async () => {
    const user = await app.user()
    const token = iosToken()
    await register(user, { platform: 'ios', token })
    for (const again of [token.toUpperCase(), token])
      expect((await app.mutate(user, 'devices.unregister', { token: again })).data).toEqual({ success: true })
    expect(await list(user)).toEqual([])
    expect((await app.send(await app.tokenOf(user.id), push)).data.audience.ios).toBe(0)
  })

  test('leaves another user’s device alone without revealing that it exists', async () => {
    const [ann, bob] = [await app.user(), await app.user()]
    const token = androidToken()
    await register(ann, { platform: 'android', token })
    expect((await app.mutate(bob, 'devices.unregister', { token })).data).toEqual({ success: true })
    expect(await list(ann)).toHaveLength(1)
  })
})
