import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueSessionToken, payloadOf } from '../../../src/server/domain/accounts/session-token.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { createUser, sessionOf, type TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
let app: HttpApp
let ada: TestUser

beforeAll(async () => {
  app = await startHttpApp()
  ada = await createUser(app.services, { email: 'ada@example.com', name: 'Ada', password: PASSWORD })
})
afterAll(() => app.close())

/** Returns true if these headers contain a session. */
async function signedIn(headers: Record<string, string>): Promise<boolean> {
  const request = new Request(`${app.url}/api/trpc/x`, { method: 'POST', headers })
  return (await app.services.authenticate(request)) !== null
}

test('the correct email and password return a token that works as bearer token and as cookie', async () => {
  const { data } = await app.call('session.create', { email: ' ADA@example.com ', password: PASSWORD })
  expect(data.user).toEqual({ id: ada.id, email: 'ada@example.com', name: 'Ada' })
  expect(data.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const days = (Date.parse(data.expiresAt) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThanOrEqual(30)
  expect(await signedIn({ authorization: `Bearer ${data.token}` })).toBe(true)
  expect(await signedIn({ cookie: `a=b; next-auth.session-token=${data.token}` })).toBe(true)
})

test('a wrong email and a wrong password get the same response', async () => {
  const wrong = [
    { email: 'ada@example.com', password: 'not the password' },
    { email: 'nobody@example.com', password: PASSWORD },
    { email: 'no email at all \u0000', password: PASSWORD },
  ]
  const answers = await Promise.all(wrong.map((input) => app.call('session.create', input)))
  const looks = answers.map(({ status, code, message }) => ({ status, code, message }))
  expect(looks[0]).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  expect(looks[1]).toEqual(looks[0])
  expect(looks[2]).toEqual(looks[0])
})

test('a user without a password cannot sign in with one', async () => {
  const user = await createUser(app.services)
  const { code } = await app.call('session.create', { email: user.email, password: 'null' })
  expect(code).toBe('UNAUTHORIZED')
})

test('a bearer token takes precedence over a valid cookie, even if it is invalid', async () => {
  const cookie = `next-auth.session-token=${ada.token}`
  expect(await signedIn({ cookie })).toBe(true)
  expect(await signedIn({ cookie, authorization: 'Bearer nonsense' })).toBe(false)
  expect(await signedIn({ cookie, authorization: 'Basic YTpi' })).toBe(true)
})

test('a token is rejected if it is truncated, altered, expired, or from another key or user', async () => {
  const secret = app.services.config.sessionSecret
  const header = Buffer.from(ada.token.split('.')[0]!, 'base64url').toString()
  expect(JSON.parse(header)).toEqual({ alg: 'dir', enc: 'A256GCM' })
  const { sessionId } = await sessionOf(app.services, { authorization: `Bearer ${ada.token}` })
  const bad = [
    ada.token.slice(0, -4),
    ada.token.replace(/(.)(.{8})$/, (_, c: string, rest: string) => (c === 'A' ? 'B' : 'A') + rest),
    await encode({ secret, token: payloadOf(sessionId), maxAge: -60 }),
    await issueSessionToken('another secret of the same length, or so', sessionId),
    await issueSessionToken(secret, '019aa000-0000-7000-8000-000000000000'),
    await issueSessionToken(secret, "x' OR 1=1"),
    // Before sessions were rows, tokens had these claims.
    await encode({ secret, token: { sub: ada.id, epoch: 0, auth_time: Math.floor(Date.now() / 1000) } }),
    'x'.repeat(100_000),
  ]
  expect(await signedIn({ authorization: `Bearer ${await issueSessionToken(secret, sessionId)}` })).toBe(true)
  for (const token of bad) {
    const request = new Request(app.url, { headers: { authorization: `Bearer ${token}` } })
    expect(await app.services.authenticate(request)).toBeNull()
  }
})

test('errors for invalid emails and passwords name the field', async () => {
  const { status, data } = await app.call('session.create', { email: '', password: 7, extra: 1 })
  expect(status).toBe(400)
  expect(Object.keys(data.fieldErrors).sort()).toEqual(['email', 'extra', 'password'])
})

test('a password hash with old cost parameters still works, and is replaced at sign-in', async () => {
  const { scryptSync } = await import('node:crypto')
  const salt = Buffer.alloc(16, 7)
  const hash = scryptSync(PASSWORD, salt, 32, { N: 2 ** 14, r: 8, p: 1 })
  const base64 = (b: Buffer) => b.toString('base64').replace(/=+$/, '')
  const old = `$scrypt$ln=14,r=8,p=1$${base64(salt)}$${base64(hash)}`
  const user = await createUser(app.services)
  await app.db.query('UPDATE users SET password_hash = $1 WHERE id = $2', [old, user.id])
  expect((await app.call('session.create', { email: user.email, password: PASSWORD })).status).toBe(200)
  const { rows } = await app.db.query('SELECT password_hash FROM users WHERE id = $1', [user.id])
  expect(rows[0].password_hash).toMatch(/^\$scrypt\$ln=1,r=8,p=1\$/)
  expect((await app.call('session.create', { email: user.email, password: PASSWORD })).status).toBe(200)
})
