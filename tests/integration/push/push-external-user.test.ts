// externalUserId as the target of a push: the user's ID at the configured issuer, or in the app.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUserTokenInput } from '../../../src/server/domain/accounts/user-token-schema.ts'
import { createTokenInput } from '../../../src/server/domain/push/tokens/schema.ts'
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

test('without an issuer, an app names users by its own IDs, and still does once one is configured', async () => {
  const by = { actor: 'admin-secret', address: '127.0.0.1', userId: null, user: null }
  const plain = await app.replica({ AUTH_JWT_ISSUER: '', AUTH_JWT_AUDIENCE: '', AUTH_JWT_JWKS_URL: '' })
  const create = ({ services }: typeof plain, externalId: string) =>
    services.userAdministration.create({ externalId }, by, 'en')
  const pushed = async (to: typeof plain | PushApp, externalUserId: string, id: string, tokens: number) => {
    const { services } = to
    await seedDevices(app.db, 1, { userId: id, platform: 'ios' })
    expect((await to.send(token, { ...hello, externalUserId })).data.sent).toBeGreaterThan(0)
    const minted = await services.userTokens.mint(
      createUserTokenInput.parse({ externalId: externalUserId }),
      {
        ...by,
        serverKeyId: null,
      },
    )
    expect(minted.userId).toBe(id)
    const input = createTokenInput.parse({ externalUserId, name: 'own', expiresInDays: 1 })
    await services.push.tokens.create(input, by)
    expect(await services.push.tokens.list(id)).toHaveLength(tokens)
  }
  const { id, externalId } = await create(plain, 'customer-1')
  expect(externalId).toBe('customer-1')
  await expect(create(plain, 'customer-1')).rejects.toMatchObject({ code: 'CONFLICT' })
  expect((await plain.send(token, { ...hello, externalUserId: 'nobody' })).status).toBe(404)
  expect((await plain.send(token, { ...hello, externalUserId: 'auth0|reader' })).status).toBe(404)
  await pushed(plain, 'customer-1', id, 1)

  await pushed(app, 'customer-1', id, 2)
  await expect(create(app, 'customer-1')).rejects.toMatchObject({ code: 'CONFLICT' })
  // The issuer's own user with this ID is a different user, and takes precedence.
  const other = await app.user()
  await app.db.query('UPDATE users SET external_issuer = $2, external_id = $3 WHERE id = $1', [
    other.id,
    ISSUER,
    'customer-1',
  ])
  await pushed(app, 'customer-1', other.id, 1)
  const { items } = await app.services.userAdministration.list({ externalId: 'customer-1', limit: 50 })
  expect(items.map((user) => user.id)).toEqual([other.id, id])
})
