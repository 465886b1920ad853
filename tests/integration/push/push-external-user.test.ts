// externalUserId as the target of a push: the user's ID at the configured issuer.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

const ISSUER = 'https://issuer.example.com/'
const hello = { title: 'Hello', body: 'World' }

let app: PushApp
let owner: TestUser
let reader: TestUser
let token: string

beforeAll(async () => {
  app = await startPushApp({
    idle: true,
    env: { AUTH_JWT_ISSUER: ISSUER, AUTH_JWT_AUDIENCE: 'pigeonhole', AUTH_JWT_JWKS_URL: `${ISSUER}jwks` },
  })
  owner = await app.user()
  reader = await app.user()
  token = await app.tokenOf(owner.id)
  for (const [user, sub] of [
    [owner, 'auth0|owner'],
    [reader, 'auth0|reader'],
  ] as const)
    await app.db.query('UPDATE users SET external_issuer = $2, external_id = $3 WHERE id = $1', [
      user.id,
      ISSUER,
      sub,
    ])
})
afterAll(() => app.close())

const send = (externalUserId: string, more: object = {}, raw = token) =>
  app.send(raw, { ...hello, externalUserId, ...more })

test('the push reaches that user, even when scheduled; repeating the same key and body sends nothing more', async () => {
  const { tokens } = await seedDevices(app.db, 1, { userId: reader.id, platform: 'ios' })
  for (let n = 0; n < 2; n++) {
    const { status, data } = await app.send(
      token,
      { ...hello, externalUserId: 'auth0|reader' },
      { 'idempotency-key': 'once' },
    )
    expect([status, data.sent]).toEqual([200, 1])
  }
  expect(app.apns.requestLog.countOf(tokens[0]!)).toBe(1)
  const sendAt = new Date(Date.now() + 60_000).toISOString()
  expect(await send('auth0|reader', { sendAt })).toMatchObject({ status: 202, data: { status: 'scheduled' } })
})

test('an unknown ID returns 404, and a second target 400', async () => {
  expect((await send('auth0|nobody')).status).toBe(404)
  for (const second of [{ userId: reader.id }, { userIds: [reader.id] }, { all: true }, { topic: 'news' }])
    expect((await send('auth0|reader', second)).status).toBe(400)
})

test('a token limited to its owner reaches only the owner, and gets 403 for all others, existing or not', async () => {
  const self = await app.tokenOf(owner.id, { scopes: ['self'] })
  expect((await send('auth0|owner', {}, self)).status).toBe(200)
  expect((await send('auth0|reader', {}, self)).status).toBe(403)
  for (const unknown of ['auth0|nobody', 'a\0b', 'a\ud800', '', 'x'.repeat(300)])
    expect((await send(unknown, {}, self)).status).toBe(403)
})

test('without a configured issuer, the response is 400 and says so', async () => {
  const plain = await app.replica({ AUTH_JWT_ISSUER: '', AUTH_JWT_AUDIENCE: '', AUTH_JWT_JWKS_URL: '' })
  const { status, data } = await plain.send(token, { ...hello, externalUserId: 'auth0|reader' })
  expect(status).toBe(400)
  expect(data.error.fieldErrors.externalUserId[0]).toContain('AUTH_JWT_ISSUER')
})
