import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { androidToken, iosToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp
let owner: TestUser
let token: string

beforeAll(async () => {
  app = await startPushApp()
  owner = await app.user()
  token = await app.tokenOf(owner.id)
})
afterAll(() => app.close())

/** Creates a user with one phone of each kind. */
async function withPhones() {
  const user = await app.user()
  const ios = iosToken()
  const android = androidToken()
  await app.mutate(user, 'devices.register', { platform: 'ios', token: ios })
  await app.mutate(user, 'devices.register', { platform: 'android', token: android })
  return { user, ios, android }
}

const hello = { title: 'Hello', body: 'World' }

describe('a push to one user', () => {
  test('reaches the owner of the token on iOS and Android with title, body and data', async () => {
    const { user, ios, android } = await withPhones()
    const { status, data } = await app.send(await app.tokenOf(user.id), { ...hello, data: { a: 1, b: 'x' } })
    expect(status).toBe(200)
    expect(data).toEqual({
      id: expect.any(String),
      status: 'completed',
      audience: { ios: 1, android: 1, web: 0 },
      sent: 2,
      failed: 0,
      removed: 0,
      failures: [],
    })
    const [onIos] = app.apns.requestLog.acceptedFor(ios)
    expect(onIos?.payload).toMatchObject({ aps: { alert: hello }, a: 1, b: 'x' })
    const [onAndroid] = app.fcm.requestLog.acceptedFor(android)
    expect(onAndroid?.payload).toMatchObject({ notification: hello, data: { a: '1', b: 'x' } })
  })

  test('reaches the given user, not the token’s owner', async () => {
    const other = await withPhones()
    const { data } = await app.send(token, { ...hello, userId: other.user.id })
    expect(data.sent).toBe(2)
    expect(app.apns.requestLog.countOf(other.ios)).toBe(1)
  })

  test('goes to the sandbox for devices registered there', async () => {
    const user = await app.user()
    const device = iosToken()
    await app.mutate(user, 'devices.register', { platform: 'ios', token: device, environment: 'sandbox' })
    await app.send(token, { ...hello, userId: user.id })
    expect(app.sandbox.requestLog.countOf(device)).toBe(1)
    expect(app.apns.requestLog.countOf(device)).toBe(0)
  })

  test('to a user without devices is completed with counts of zero', async () => {
    const user = await app.user()
    const { status, data } = await app.send(token, { ...hello, userId: user.id })
    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'completed', audience: { ios: 0, android: 0, web: 0 }, sent: 0 })
  })

  test.each([randomUUID(), 'nobody', "' OR 1=1 --", ''])(
    'to the unknown user %j returns 404',
    async (userId) => {
      const { status, data } = await app.send(token, { ...hello, userId })
      expect(status).toBe(404)
      expect(data).toEqual({
        error: { code: 'NOT_FOUND', message: expect.stringContaining('userId') },
        requestId: expect.any(String),
      })
    },
  )

  test('skips only users who switched pushes off or muted the category', async () => {
    const { user } = await withPhones()
    const send = async (category?: string) =>
      (await app.send(token, { ...hello, userId: user.id, category })).data.audience
    await app.mutate(user, 'preferences.update', { mutedCategories: ['news', 'general'] })
    expect(await send('news')).toEqual({ ios: 0, android: 0, web: 0 })
    expect(await send()).toEqual({ ios: 0, android: 0, web: 0 })
    expect(await send('alerts')).toEqual({ ios: 1, android: 1, web: 0 })
    await app.mutate(user, 'preferences.update', { pushEnabled: false })
    expect(await send('alerts')).toEqual({ ios: 0, android: 0, web: 0 })
    await app.mutate(user, 'preferences.update', { pushEnabled: true, mutedCategories: [] })
    expect(await send('news')).toEqual({ ios: 1, android: 1, web: 0 })
  })

  test('can be read afterwards only with the token that sent it or the admin secret', async () => {
    const sent = await app.send(token, hello)
    const { id } = sent.data
    expect((await app.message(token, id)).data).toEqual(sent.data)
    expect((await app.message(app.env.PUSH_TOKEN_ADMIN_SECRET, id)).data).toEqual(sent.data)
    const stranger = await app.tokenOf(owner.id)
    expect((await app.message(stranger, id)).status).toBe(404)
    expect((await app.message(token, randomUUID())).status).toBe(404)
    expect((await app.message(token, 'x')).status).toBe(404)
    for (const bad of [undefined, 'nonsense']) {
      const answer = await app.message(bad, id)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('with dryRun counts the audience, sends nothing and stores nothing', async () => {
    const { user, ios } = await withPhones()
    const { status, data } = await app.send(token, { ...hello, userId: user.id, dryRun: true })
    expect(status).toBe(200)
    expect(data).toMatchObject({ audience: { ios: 1, android: 1, web: 0 }, sent: 0, failed: 0, removed: 0 })
    expect(data.status).toBe('dry-run')
    expect(app.apns.requestLog.countOf(ios)).toBe(0)
    expect((await app.message(token, data.id)).status).toBe(404)
    const everyone = await app.send(token, { ...hello, all: true, dryRun: true })
    expect([everyone.status, everyone.data.status]).toEqual([200, 'dry-run'])
    expect(everyone.data.audience.ios).toBeGreaterThan(0)
  })

  test('fails with GATEWAY_NOT_CONFIGURED if a gateway is missing', async () => {
    const { user } = await withPhones()
    const bare = await app.replica({ FIREBASE_PROJECT_ID: '', GOOGLE_APPLICATION_CREDENTIALS: '' })
    const { status, data } = await bare.send(token, { ...hello, userId: user.id })
    expect(status).toBe(200)
    expect(data).toMatchObject({ sent: 1, failed: 1, removed: 0 })
    expect(data.failures).toEqual([
      { deviceId: expect.any(String), platform: 'android', reason: 'GATEWAY_NOT_CONFIGURED' },
    ])
  })
})

describe('permission to send', () => {
  test('missing, unknown, expired and revoked tokens are rejected alike, before the body is read', async () => {
    const revoked = await app.createToken({ userId: owner.id, name: 'r' })
    await app.revokeToken(revoked.data.id)
    const expired = await app.createToken({ userId: owner.id, name: 'e' })
    await app.db.query('UPDATE push_tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      expired.data.id,
    ])
    const answers = await Promise.all(
      [undefined, 'x', `ph_${'a'.repeat(43)}`, expired.data.token, revoked.data.token].map((bad) =>
        app.send(bad, 'not json'),
      ),
    )
    for (const { status, headers, data } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(data.error).toEqual(answers[0]!.data.error)
      expect(data.error.code).toBe('UNAUTHORIZED')
    }
  })

  test('neither a session token nor the admin secret is accepted as a push token', async () => {
    expect((await app.send(owner.token, hello)).status).toBe(401)
    expect((await app.send(app.env.PUSH_TOKEN_ADMIN_SECRET, hello)).status).toBe(401)
  })

  test.each<[string[], number[]]>([
    [['self'], [200, 200, 403, 403]],
    [['users'], [200, 200, 200, 403]],
    [['broadcast'], [403, 403, 403, 202]],
    [
      ['self', 'users', 'broadcast'],
      [200, 200, 200, 202],
    ],
  ])(
    'with the scopes %j to the owner, the owner by ID, another user and everyone: %j',
    async (scopes, statuses) => {
      const scoped = await app.tokenOf(owner.id, { scopes })
      const other = await app.user()
      const answers = []
      for (const target of [{}, { userId: owner.id }, { userId: other.id }, { all: true }])
        answers.push(await app.send(scoped, { ...hello, ...target }))
      expect(answers.map((a) => a.status)).toEqual(statuses)
      for (const { status, data } of answers) if (status === 403) expect(data.error.code).toBe('FORBIDDEN')
      // Tokens that cannot send to other users must not learn whether a user exists.
      const unknown = await app.send(scoped, { ...hello, userId: randomUUID() })
      expect(unknown.status).toBe(scopes.includes('users') ? 404 : 403)
    },
  )

  test('tokens without scopes from older versions follow their allowBroadcast', async () => {
    const { data } = await app.createToken({ userId: owner.id, name: 'old', allowBroadcast: false })
    await app.db.query(`UPDATE push_tokens SET scopes = '{}' WHERE id = $1`, [data.id])
    expect((await app.send(data.token, hello)).status).toBe(200)
    expect((await app.send(data.token, { ...hello, all: true })).status).toBe(403)
  })

  test('tokens without allowBroadcast cannot send to everyone', async () => {
    const narrow = await app.tokenOf(owner.id, { allowBroadcast: false })
    const { status, data } = await app.send(narrow, { ...hello, all: true })
    expect(status).toBe(403)
    expect(data.error.code).toBe('FORBIDDEN')
    expect((await app.send(narrow, hello)).status).toBe(200)
  })

  test('the last use of a token is recorded at most once a minute', async () => {
    const { data } = await app.createToken({ userId: owner.id, name: 'u' })
    const used = async () =>
      (await app.db.query('SELECT last_used_at FROM push_tokens WHERE id = $1', [data.id])).rows[0]
        .last_used_at
    expect(await used()).toBeNull()
    await app.send(data.token, hello)
    const first = await used()
    expect(first).toBeInstanceOf(Date)
    await app.send(data.token, hello)
    expect(await used()).toEqual(first)
    await app.db.query(`UPDATE push_tokens SET last_used_at = now() - interval '61 s' WHERE id = $1`, [
      data.id,
    ])
    await app.send(data.token, hello)
    expect((await used()).getTime()).toBeGreaterThanOrEqual(first.getTime())
  })
})

describe('the rate limit of a push token', () => {
  test('is shared by replicas, appears in the usual headers, and returns 429 with Retry-After when exceeded', async () => {
    const limited = { PUSH_SEND_RATE_PER_MINUTE: '3' }
    const [one, two] = [await app.replica(limited), await app.replica(limited)]
    const fresh = await app.tokenOf(owner.id)
    const left: string[] = []
    for (const replica of [one, two, one]) {
      const { status, headers } = await replica.send(fresh, hello)
      expect(status).toBe(200)
      expect(headers.get('ratelimit-limit')).toBe('3')
      expect(headers.get('x-ratelimit-limit')).toBe('3')
      left.push(headers.get('ratelimit-remaining') ?? '')
    }
    expect(left).toEqual(['2', '1', '0'])
    const over = await two.send(fresh, hello)
    expect(over.status).toBe(429)
    expect(over.data.error.code).toBe('TOO_MANY_REQUESTS')
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(over.headers.get('x-ratelimit-remaining')).toBe('0')
    const another = await app.tokenOf(owner.id)
    expect((await two.send(another, hello)).status).toBe(200)
  })

  test('holds for parallel sends through two replicas, which reserve in batches from the shared counter', async () => {
    const limited = { PUSH_SEND_RATE_PER_MINUTE: '100' }
    const replicas = [await app.replica(limited), await app.replica(limited)]
    const fresh = await app.tokenOf(owner.id)
    const hash = createHash('sha256').update(fresh).digest('hex')
    const taken = async () =>
      (
        await app.db.query(
          `SELECT points FROM rate_limits JOIN push_tokens t ON key = 'push-send:' || t.id WHERE t.hash = $1`,
          [hash],
        )
      ).rows[0].points
    // The request is rejected after it is counted.
    const invalid = () => replicas[0]!.send(fresh, {})
    expect((await invalid()).headers.get('ratelimit-remaining')).toBe('99')
    expect(await taken()).toBe(2)
    expect((await invalid()).headers.get('ratelimit-remaining')).toBe('98')
    expect(await taken()).toBe(2)
    const answers = await Promise.all(
      Array.from({ length: 140 }, (_, n) => replicas[n % 2]!.send(fresh, {}).then(({ status }) => status)),
    )
    const accepted = 2 + answers.filter((status) => status === 400).length
    expect(answers.filter((status) => status === 429)).toHaveLength(142 - accepted)
    expect(accepted).toBeLessThanOrEqual(100)
    expect(accepted).toBeGreaterThanOrEqual(98)
  })
})
