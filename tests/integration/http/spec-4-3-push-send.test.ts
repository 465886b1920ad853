// docs/spec.md section 4.3 and its part of section 5, over HTTP against the built server, checked against the request logs of the gateway emulators.

import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_SECRET, type JsonAnswer } from '../../support/process/built-server.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

type Phone = { platform: 'ios' | 'android'; token: string }
let server: SharedServer

beforeAll(async () => {
  server = await sharedServer()
})

const ios = (): Phone => ({ platform: 'ios', token: randomBytes(32).toString('hex') })
const android = (): Phone => ({ platform: 'android', token: `fcm-${randomBytes(40).toString('hex')}` })

/** Creates a user with an iPhone, an Android phone and a push token. */
async function userWithPhones(): Promise<{ user: TestUser; iphone: Phone; android: Phone; push: string }> {
  const user = await server.user()
  const phones = { iphone: ios(), android: android() }
  for (const phone of Object.values(phones)) await server.ok(user, 'devices.register', phone)
  const made = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'test' })
  return { user, ...phones, push: made.body.token }
}

const send = (bearer: string | null, body: unknown, headers?: Record<string, string>): Promise<JsonAnswer> =>
  server.post('/api/push/send', bearer, body, headers)

const onIos = (phone: Phone) => server.stack.apns.requestLog.accepted.filter((p) => p.token === phone.token)
const onAndroid = (phone: Phone) =>
  server.stack.fcm.requestLog.accepted.filter((p) => p.token === phone.token)
const hello = { title: 'Hello', body: 'World' }

describe('targets', () => {
  test('without userId or all, the push goes to the token owner, on iOS and Android, with title, body and data', async () => {
    const owner = await userWithPhones()
    const bystander = await userWithPhones()
    const answer = await send(owner.push, { ...hello, data: { orderId: 42, path: '/o/42' } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: expect.any(String),
      status: 'completed',
      audience: { ios: 1, android: 1, web: 0 },
      sent: 2,
      failed: 0,
      removed: 0,
      failures: [],
    })
    const [apple] = onIos(owner.iphone)
    expect(apple?.payload).toMatchObject({
      aps: { alert: { title: 'Hello', body: 'World' } },
      orderId: 42,
      path: '/o/42',
    })
    const [google] = onAndroid(owner.android)
    expect(google?.payload).toMatchObject({
      notification: { title: 'Hello', body: 'World' },
      data: { orderId: '42', path: '/o/42' },
    })
    expect(onIos(bystander.iphone)).toEqual([])
  })

  test('with userId, the push goes to that user', async () => {
    const sender = await userWithPhones()
    const receiver = await userWithPhones()
    const answer = await send(sender.push, { ...hello, userId: receiver.user.id })
    expect(answer.body).toMatchObject({ status: 'completed', sent: 2 })
    expect(onIos(receiver.iphone)).toHaveLength(1)
    expect(onIos(sender.iphone)).toEqual([])
  })

  test('with all, the response is 202 queued, and every user who has not opted out gets the push', async () => {
    const sender = await userWithPhones()
    const others = await Promise.all([userWithPhones(), userWithPhones(), userWithPhones()])
    const silent = await userWithPhones()
    await server.ok(silent.user, 'preferences.update', { pushEnabled: false })
    const answer = await send(sender.push, { ...hello, all: true })
    expect(answer.status).toBe(202)
    expect(answer.body.status).toMatch(/queued|sending|completed/)
    const path = `/api/push/messages/${answer.body.id}`
    await until(
      'the broadcast is completed',
      async () => (await server.get(path, sender.push)).body.status === 'completed',
    )
    const done = (await server.get(path, ADMIN_SECRET)).body
    expect(done.sent + done.failed + done.removed).toBe(done.audience.ios + done.audience.android)
    for (const p of [sender, ...others]) {
      expect(onIos(p.iphone)).toHaveLength(1)
      expect(onAndroid(p.android)).toHaveLength(1)
    }
    expect(onIos(silent.iphone)).toEqual([])
    expect((await server.get(path, others[0]!.push)).status).toBe(404)
  })

  test('both userId and all returns 400 and sends nothing', async () => {
    const p = await userWithPhones()
    const answer = await send(p.push, { ...hello, userId: p.user.id, all: true })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(onIos(p.iphone)).toEqual([])
  })

  test('an unknown userId returns 404', async () => {
    const p = await userWithPhones()
    for (const userId of [randomUUID(), 'nobody'])
      expect((await send(p.push, { ...hello, userId })).body.error.code).toBe('NOT_FOUND')
  })
})

describe('filters', () => {
  test('device tokens are filtered by notification preferences', async () => {
    const p = await userWithPhones()
    await server.ok(p.user, 'preferences.update', { mutedCategories: ['news'] })
    expect((await send(p.push, { ...hello, category: 'news' })).body).toMatchObject({
      audience: { ios: 0, android: 0, web: 0 },
      sent: 0,
    })
    expect((await send(p.push, { ...hello, category: 'orders' })).body.sent).toBe(2)
    await server.ok(p.user, 'preferences.update', { pushEnabled: false })
    expect((await send(p.push, hello)).body.sent).toBe(0)
  })

  test('a device that no longer exists is deleted and counted as removed', async () => {
    const p = await userWithPhones()
    server.stack.apns.devices.set(p.iphone.token, {
      gone: { reason: 'Unregistered', since: Date.now() + 60_000 },
    })
    server.stack.fcm.devices.unregister(p.android.token)
    expect((await send(p.push, hello)).body).toMatchObject({ sent: 0, removed: 2 })
    expect((await server.ok(p.user, 'devices.list')).items).toEqual([])
    expect((await send(p.push, hello)).body).toMatchObject({ audience: { ios: 0, android: 0, web: 0 } })
  })
})

describe('credential', () => {
  test.each([
    ['none', null],
    ['a token that does not exist', `ph_${randomBytes(32).toString('base64url')}`],
    ['the admin secret', ADMIN_SECRET],
  ])('%s returns 401', async (_, bearer) => {
    const answer = await send(bearer, hello)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body.error.code).toBe('UNAUTHORIZED')
  })

  test('a token without allowBroadcast gets 403 for all', async () => {
    const p = await userWithPhones()
    const made = await server.post('/api/push/token', ADMIN_SECRET, {
      userId: p.user.id,
      name: 'n',
      allowBroadcast: false,
    })
    expect((await send(made.body.token, { ...hello, all: true })).status).toBe(403)
    expect((await send(made.body.token, hello)).status).toBe(200)
  })
})

describe('bad input', () => {
  test.each([
    ['title', { title: '' }],
    ['title', { title: undefined }],
    ['body', { body: 5 }],
    ['data', { data: [] }],
    ['data', { data: 'x' }],
    ['userID', { userID: 'typo' }],
    ['all', { all: 'yes' }],
  ])('an invalid %s is named: %j', async (field, change) => {
    const p = await userWithPhones()
    const answer = await send(p.push, { ...hello, ...change })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(Object.keys(answer.body.error.fieldErrors)).toEqual([field])
    expect(onIos(p.iphone)).toEqual([])
  })

  test.each(['{', '', '[]', 'null', '"x"'])(
    'a body that is not a JSON object returns 400: %j',
    async (body) => {
      const p = await userWithPhones()
      expect((await send(p.push, body)).status).toBe(400)
    },
  )

  test('a payload over 4096 bytes returns 413, which says by how many bytes', async () => {
    const p = await userWithPhones()
    const answer = await send(p.push, { ...hello, data: { blob: 'x'.repeat(4096) } })
    expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(answer.body.error.message).toMatch(/\d+ bytes/)
    expect(onIos(p.iphone)).toEqual([])
  })

  test('a body of several megabytes returns 413 at once', async () => {
    const p = await userWithPhones()
    expect((await send(p.push, { ...hello, data: { blob: 'x'.repeat(5_000_000) } })).status).toBe(413)
  })

  test('another content type returns 400, and another method 405', async () => {
    const p = await userWithPhones()
    expect(
      (await send(p.push, 'title=x', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(400)
    expect((await server.get('/api/push/send', p.push)).status).toBe(405)
  })
})
