import { randomUUID } from 'node:crypto'
import { type OidcEmulator, startOidc } from '@pigeonhole/emulators/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { createSoftwarePasskey } from '../../support/software-authenticator.ts'
import { createSession, createUser, type TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const ORIGIN = 'http://localhost'
const AUDIENCE = 'files'
let app: HttpApp
let issuer: OidcEmulator

beforeAll(async () => {
  issuer = await startOidc({ clients: [], audience: AUDIENCE })
  app = await startHttpApp({
    NEXTAUTH_URL: ORIGIN,
    ADMIN_REQUIRE_PASSKEY: 'true',
    AUTH_JWT_ISSUER: issuer.issuer,
    AUTH_JWT_AUDIENCE: AUDIENCE,
  })
})
afterAll(async () => {
  await app.close()
  await issuer.close()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function createAdmin(): Promise<TestUser> {
  const user = await createUser(app.services, { password: PASSWORD })
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [user.id])
  return user
}

const authorize = (headers: Record<string, string>) =>
  app.services.adminAccess.authorize(new Request(`${ORIGIN}/api/admin/users`, { headers }), 'here', {
    path: '/api/admin/users',
    scope: undefined,
  })

async function register(headers: Record<string, string>) {
  const passkey = createSoftwarePasskey(ORIGIN)
  const options = (await app.call('passkeys.registrationOptions', undefined, headers)).data
  const answer = await app.call('passkeys.register', { response: passkey.register(options) }, headers)
  return { passkey, ...answer }
}

test('an administrator without a passkey can sign in only to register one', async () => {
  const { id, email } = await createAdmin()
  const { token } = (await app.call('session.create', { email, password: PASSWORD })).data
  const headers = bearer(token)
  const rejected = { code: 'FORBIDDEN', data: { reason: 'passkey_required' } }
  await expect(authorize(headers)).rejects.toMatchObject(rejected)
  expect(await app.call('account.usage', undefined, headers)).toMatchObject(rejected)
  expect(await app.call('apiKeys.create', { name: 'Key', scopes: ['files:read'] }, headers)).toMatchObject(
    rejected,
  )
  const file = new Request(`${ORIGIN}/files/${id}`, { headers })
  expect((await downloadFile(file, app.services, id)).status).toBe(403)

  const { passkey, status, data } = await register(headers)
  expect({ status, codes: data.recoveryCodes.length }).toEqual({ status: 200, codes: 10 })
  expect(await authorize(headers)).toMatchObject({ actor: `user:${id}`, userId: id })
  expect((await app.call('account.usage', undefined, headers)).status).toBe(200)

  expect((await app.call('session.create', { email, password: PASSWORD })).data).toMatchObject(rejected.data)
  const signIn = passkey.signIn((await app.call('session.passkeyOptions')).data)
  const again = (await app.call('session.createWithPasskey', { response: signIn })).data
  expect(await authorize(bearer(again.token))).toMatchObject({ userId: id })
})

test('the requirement holds whatever the administrator chooses, and for the last passkey', async () => {
  const { email, headers } = await createAdmin()
  const { data } = await register(headers)
  expect((await app.call('passkeys.setRequired', { required: false }, headers)).status).toBe(200)
  expect((await app.call('session.create', { email, password: PASSWORD })).code).toBe('FORBIDDEN')
  expect((await app.call('passkeys.delete', { id: data.id }, headers)).code).toBe('CONFLICT')
})

test('a recovery code lets an administrator register a new passkey, and nothing else', async () => {
  const { email, headers: first } = await createAdmin()
  const [recoveryCode] = (await register(first)).data.recoveryCodes
  const recovered = await app.call('session.createWithRecoveryCode', {
    email,
    password: PASSWORD,
    recoveryCode,
  })
  const headers = bearer(recovered.data.token)
  await expect(authorize(headers)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await register(headers)).status).toBe(200)
  expect(await authorize(headers)).toMatchObject({ actor: expect.stringMatching(/^user:/) })
})

test('a session of an earlier version neither reaches the admin API nor registers another passkey', async () => {
  const admin = await createAdmin()
  await register(admin.headers)
  // As an earlier version inserts it: without a method.
  const headers = bearer(await createSession(app.services, admin.id))
  await expect(authorize(headers)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await register(headers)).code).toBe('FORBIDDEN')
})

test('a JWT of an administrator of another issuer is rejected', async () => {
  const sub = randomUUID()
  const headers = bearer(issuer.mint({ sub }))
  expect((await app.call('account.usage', undefined, headers)).status).toBe(200)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE external_id = $1`, [sub])
  await expect(authorize(headers)).rejects.toMatchObject({ data: { reason: 'passkey_required' } })
})

test('other users and the admin secret need no passkey', async () => {
  const user = await createUser(app.services)
  expect((await app.call('account.usage', undefined, user.headers)).status).toBe(200)
  expect(await authorize(bearer(ADMIN_SECRET))).toMatchObject({ actor: 'admin', userId: null })
})
