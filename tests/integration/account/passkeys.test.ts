import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { createPasskeyChallenges } from '../../../src/server/domain/accounts/passkey-challenges.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import {
  createSoftwarePasskey,
  type Forgery,
  map,
  type SoftwarePasskey,
  text,
} from '../../support/software-authenticator.ts'
import { createSession, createUser, sessionOf, type TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp({ SIGNIN_FAILURES_PER_15_MIN: '3' })
})
afterAll(() => app.close())

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function register(user: Pick<TestUser, 'headers'>, passkey: SoftwarePasskey, forgery?: Forgery) {
  const options = (await app.call('passkeys.registrationOptions', undefined, user.headers)).data
  return app.call('passkeys.register', { response: passkey.register(options, forgery) }, user.headers)
}

/** A user with a password, a passkey and ten recovery codes. */
async function createPasskeyUser(options = {}) {
  const user = await createUser(app.services, { password: PASSWORD })
  const passkey = createSoftwarePasskey(app.url, options)
  const { data } = await register(user, passkey)
  return { ...user, passkey, passkeyId: data.id as string, recoveryCodes: data.recoveryCodes as string[] }
}

async function signIn(passkey: SoftwarePasskey, forgery?: Forgery) {
  const options = (await app.call('session.passkeyOptions')).data
  return app.call('session.createWithPasskey', { response: passkey.signIn(options, forgery) })
}

const methodOf = async (token: string) => (await sessionOf(app.services, bearer(token))).method

async function audited(userId: string): Promise<{ action: string; subject_id: string | null }[]> {
  const { rows } = await app.db.query(
    `SELECT action, subject_id, details FROM audit_entries WHERE user_id = $1 ORDER BY id`,
    [userId],
  )
  return rows
}

test('a passkey signs in without email and password, and marks the session', async () => {
  const user = await createUser(app.services, { name: 'Ada' })
  const passkey = createSoftwarePasskey(app.url)
  const { data: created } = await register(user, passkey)
  expect(created).toEqual({ id: expect.any(String), name: 'node', recoveryCodes: expect.any(Array) })
  expect(await methodOf(user.token)).toBe('passkey')

  const { status, data } = await signIn(passkey)
  expect({ status, user: data.user }).toEqual({
    status: 200,
    user: { id: user.id, email: user.email, name: 'Ada' },
  })
  expect(await methodOf(data.token)).toBe('passkey')
  const { items } = (await app.call('passkeys.list', undefined, user.headers)).data
  expect(items).toEqual([
    {
      id: created.id,
      name: 'node',
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      backedUp: false,
    },
  ])
  expect(await audited(user.id)).toMatchObject([
    { action: 'passkey.created', subject_id: created.id },
    { action: 'session.created', details: { method: 'passkey' } },
  ])
})

test('a synchronized passkey, whose counter stays 0, signs in repeatedly', async () => {
  const { passkey, headers } = await createPasskeyUser({ synchronized: true })
  expect((await signIn(passkey)).status).toBe(200)
  expect((await signIn(passkey)).status).toBe(200)
  expect((await app.call('passkeys.list', undefined, headers)).data.items[0].backedUp).toBe(true)
})

test('the form of the sign-in page accepts a passkey and gives a cookie', async () => {
  const { id, passkey } = await createPasskeyUser()
  const browser = new Browser()
  const options = (await app.call('session.passkeyOptions')).data
  const fields = { passkey: JSON.stringify(passkey.signIn(options)) }
  expect((await browser.postAuth(app.url, 'callback/credentials', fields)).status).toBe(200)
  expect((await browser.session(app.url)).user.id).toBe(id)
  for (const wrong of [fields.passkey, '{', '{}']) {
    const rejected = await new Browser().postAuth(app.url, 'callback/credentials', { passkey: wrong })
    expect(rejected.status).toBe(401)
  }
})

test('signing in again with a passkey upgrades the session of the same browser, and a password keeps that', async () => {
  const { email, headers, passkey } = await createPasskeyUser()
  await app.call('passkeys.setRequired', { required: false }, headers)
  const browser = new Browser()
  const signInWith = (fields: Record<string, string>) =>
    browser.postAuth(app.url, 'callback/credentials', fields)
  const session = async () => {
    const { sessionId, method } = await sessionOf(app.services, { cookie: browser.cookieHeader() })
    return { sessionId, method }
  }
  await signInWith({ email, password: PASSWORD })
  const first = await session()
  expect(first.method).toBe('password')
  const options = (await app.call('session.passkeyOptions')).data
  await signInWith({ passkey: JSON.stringify(passkey.signIn(options)) })
  expect(await session()).toEqual({ ...first, method: 'passkey' })
  await signInWith({ email, password: PASSWORD })
  expect(await session()).toEqual({ ...first, method: 'passkey' })
})

test('changes need a recent sign-in', async () => {
  const { id } = await createUser(app.services)
  const old = bearer(await createSession(app.services, id, new Date(Date.now() - 16 * 60_000)))
  const answers = await Promise.all([
    app.call('passkeys.registrationOptions', undefined, old),
    app.call('passkeys.setRequired', { required: false }, old),
    app.call('passkeys.delete', { id }, old),
    app.call('passkeys.createRecoveryCodes', undefined, old),
  ])
  for (const { data } of answers) expect(data.reason).toBe('reauthentication_required')
})

test('an account that requires a passkey does not count the password as a recent sign-in', async () => {
  const user = await createPasskeyUser()
  const key = { name: 'ci', scopes: ['files:read'] }
  const age = () =>
    app.db.query(
      `UPDATE sessions SET created_at = now() - interval '1 hour', authenticated_at = NULL WHERE user_id = $1`,
      [user.id],
    )
  const confirm = (headers: Record<string, string>, password = PASSWORD) =>
    app.call('account.reauthenticate', { password }, headers)
  const methods = async () => (await app.call('account.signInMethods', undefined, user.headers)).data
  const tooOld = { status: 403, data: { reason: 'reauthentication_required' } }
  await age()
  expect(await methods()).toEqual({ password: false, providers: [], passkey: true })
  expect(await confirm(user.headers)).toMatchObject({ status: 403, data: { reason: 'passkey_required' } })
  expect(await app.call('apiKeys.create', key, user.headers)).toMatchObject(tooOld)

  const input = { currentPassword: PASSWORD, newPassword: 'a staple for the horse' }
  const changed = bearer((await app.call('account.changePassword', input, user.headers)).data.token)
  expect(await app.call('apiKeys.create', key, changed)).toMatchObject(tooOld)

  const signedIn = bearer((await signIn(user.passkey)).data.token)
  expect((await app.call('apiKeys.create', key, signedIn)).status).toBe(200)
  expect((await app.call('passkeys.setRequired', { required: false }, signedIn)).status).toBe(200)
  await age()
  expect((await confirm(signedIn, input.newPassword)).status).toBe(200)
  expect((await app.call('apiKeys.create', key, signedIn)).status).toBe(200)
})

test('an answered challenge signs in once, even from two callers at the same time', async () => {
  const { passkey } = await createPasskeyUser({ synchronized: true })
  const options = (await app.call('session.passkeyOptions')).data
  const call = () => app.call('session.createWithPasskey', { response: passkey.signIn(options) })
  const both = await Promise.all([call(), call()])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  expect((await call()).code).toBe('UNAUTHORIZED')
})

test.each<[string, (own: string) => Forgery]>([
  ['another origin', () => ({ origin: 'https://evil.example' })],
  ['another relying party', () => ({ rpId: 'evil.example' })],
  ['a frame of another site', () => ({ crossOrigin: true })],
  ['an invented challenge', () => ({ challenge: Buffer.alloc(54).toString('base64url') })],
  ['an unverified user', () => ({ userVerified: false })],
  ['a counter that does not increase', () => ({ counter: 1 })],
  ['another user’s ID', () => ({ userHandle: Buffer.alloc(16).toString('base64url') })],
])('a sign-in with %s is rejected', async (_, forgery) => {
  const { id, passkey } = await createPasskeyUser()
  const rejected = await signIn(passkey, forgery(id))
  expect(rejected.code).toBe('UNAUTHORIZED')
  // The response is that to an unknown passkey.
  expect(rejected.message).toBe((await signIn(createSoftwarePasskey(app.url))).message)
  expect((await audited(id)).at(-1)).toMatchObject({
    action: 'session.refused',
    details: { method: 'passkey' },
  })
  expect((await signIn(passkey)).status).toBe(200)
})

test('the counter cannot go back after a sign-in', async () => {
  const { passkey } = await createPasskeyUser()
  expect((await signIn(passkey, { counter: 100 })).status).toBe(200)
  expect((await signIn(passkey, { counter: 99 })).status).toBe(401)
  expect((await signIn(passkey, { counter: 0 })).status).toBe(401)
  expect((await signIn(passkey, { counter: 101 })).status).toBe(200)
})

test('a passkey that another user registered signs in as that user only', async () => {
  const [ada, bob] = [await createPasskeyUser(), await createPasskeyUser()]
  expect((await signIn(bob.passkey)).data.user.id).toBe(bob.id)
  const stolen = createSoftwarePasskey(app.url)
  await app.db.query('UPDATE passkeys SET credential_id = $1 WHERE id = $2', [stolen.id, bob.passkeyId])
  const userHandle = Buffer.from(bob.id.replaceAll('-', ''), 'hex').toString('base64url')
  expect((await signIn(stolen, { userHandle })).status).toBe(401)
  expect((await app.call('passkeys.delete', { id: bob.passkeyId }, ada.headers)).code).toBe('NOT_FOUND')
  const rename = { id: bob.passkeyId, name: 'Mine' }
  expect((await app.call('passkeys.rename', rename, ada.headers)).code).toBe('NOT_FOUND')
  expect((await register(ada, bob.passkey)).status).toBe(200)
})

test('every replica accepts a challenge, which nothing stores before it is answered', async () => {
  const { id, passkey } = await createPasskeyUser()
  const replica = await startTestApp({ NEXTAUTH_URL: app.url }, app.config.databaseUrl)
  const stored = async () =>
    (await app.db.query('SELECT hash FROM used_challenges')).rows.map(({ hash }) => hash as string)
  try {
    const before = await stored()
    const { challenge, ...options } = (await app.call('session.passkeyOptions')).data
    expect(Buffer.from(challenge, 'base64url')).toHaveLength(16 + 6 + 32)
    expect(await stored()).toEqual(before)
    const response = passkey.signIn({ ...options, challenge })
    const handle = (request: Request) => handleTrpc(request, Promise.resolve(replica.services))
    const { data } = await callProcedure(handle, null, 'session.createWithPasskey', { response })
    expect(data.user.id).toBe(id)
    const [used] = (await stored()).filter((hash) => !before.includes(hash))
    expect(used).toBe(sha256(challenge))
  } finally {
    await replica.close()
  }
})

test('a challenge ends after five minutes', async () => {
  const { passkey } = await createPasskeyUser()
  const options = (await app.call('session.passkeyOptions')).data
  const challenge = Buffer.from(options.challenge, 'base64url')
  const expiresAt = challenge.readUIntBE(16, 6)
  expect(expiresAt - Date.now()).toBeGreaterThan(200_000)
  expect(expiresAt - Date.now()).toBeLessThanOrEqual(300_000)
  // A later expiry is not authentic.
  challenge.writeUIntBE(expiresAt + 1, 16, 6)
  expect((await signIn(passkey, { challenge: challenge.toString('base64url') })).status).toBe(401)
  const [now, late] = [Date.now(), Date.now() - 301_000].map((time) => {
    const clock = { now: () => new Date(time) }
    return createPasskeyChallenges([app.services.config.sessionSecret], clock).create('sign-in')
  })
  expect((await signIn(passkey, { challenge: late })).status).toBe(401)
  expect((await signIn(passkey, { challenge: now })).status).toBe(200)
})

test.each<[string, Forgery]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['an unverified user', { userVerified: false }],
  ['a frame of another site', { crossOrigin: true }],
  [
    'a certificate, which could name addresses to fetch',
    {
      attestation: Buffer.concat([
        text('fmt'),
        text('packed'),
        text('attStmt'),
        map(1),
        text('x5c'),
        Buffer.from([0x80]),
      ]),
    },
  ],
])('a registration with %s is rejected', async (_, forgery) => {
  const user = await createUser(app.services)
  expect((await register(user, createSoftwarePasskey(app.url), forgery)).code).toBe('BAD_REQUEST')
  expect((await app.call('passkeys.list', undefined, user.headers)).data.items).toEqual([])
})

test('a registration answers a challenge of its own session, once', async () => {
  const [user, other] = [await createUser(app.services), await createUser(app.services)]
  const options = (await app.call('passkeys.registrationOptions', undefined, user.headers)).data
  expect(options.attestation).toBe('none')
  const register = (headers: Record<string, string>, challenge = options.challenge) => {
    const response = createSoftwarePasskey(app.url).register({ ...options, challenge })
    return app.call('passkeys.register', { response }, headers)
  }
  const anotherSession = bearer(await createSession(app.services, user.id))
  const forSignIn = (await app.call('session.passkeyOptions')).data.challenge
  expect((await register(other.headers)).code).toBe('BAD_REQUEST')
  expect((await register(anotherSession)).code).toBe('BAD_REQUEST')
  expect((await register(user.headers, forSignIn)).code).toBe('BAD_REQUEST')
  expect((await register(user.headers)).status).toBe(200)
  expect((await register(user.headers)).code).toBe('BAD_REQUEST')
})

test('with a passkey, the password alone no longer signs in, unless the user allows it', async () => {
  const user = await createPasskeyUser()
  const withPassword = (password = PASSWORD) => app.call('session.create', { email: user.email, password })
  expect(await withPassword()).toMatchObject({ code: 'FORBIDDEN', data: { reason: 'passkey_required' } })
  const form = await new Browser().postAuth(app.url, 'callback/credentials', {
    email: user.email,
    password: PASSWORD,
  })
  expect(form.status).toBe(401)
  expect(new URL((await form.json()).url).searchParams.get('error')).toBe('PasskeyRequired')
  expect((await withPassword('wrong')).code).toBe('UNAUTHORIZED')

  expect((await app.call('passkeys.setRequired', { required: false }, user.headers)).status).toBe(200)
  expect((await withPassword()).status).toBe(200)
  expect((await audited(user.id)).map(({ action }) => action)).toEqual([
    'passkey.created',
    'session.refused',
    'session.refused',
    'session.refused',
    'passkey.changed',
    'session.created',
  ])
})

test('with a passkey, neither a provider nor a password from a mailed link starts a session', async () => {
  const { id, email } = await createPasskeyUser()
  await app.db.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [id])
  const identity = {
    provider: 'oidc:test',
    providerAccountId: randomUUID(),
    email,
    emailVerified: true,
    name: null,
  }
  expect(await app.services.auth.resolveIdentity(identity, 'test')).toBe('PasskeyRequired')
  const token = randomBytes(32).toString('base64url')
  await app.db.query(
    `INSERT INTO email_tokens (user_id, hash, purpose, created_at, expires_at)
     VALUES ($1, $2, 'reset', now(), now() + interval '1 hour')`,
    [id, sha256(token)],
  )
  const password = 'a staple for the horse'
  const { data } = await app.call('account.resetPassword', { token, password })
  expect(data).toEqual({ success: true, email })
  expect((await app.call('session.create', { email, password })).data.reason).toBe('passkey_required')
})

test('a session started with the password cannot change passkeys once they are required', async () => {
  const user = await createPasskeyUser()
  const old = bearer(await createSession(app.services, user.id))
  for (const [procedure, input] of [
    ['passkeys.setRequired', { required: false }],
    ['passkeys.delete', { id: user.passkeyId }],
    ['passkeys.rename', { id: user.passkeyId, name: 'Mine' }],
    ['passkeys.createRecoveryCodes', undefined],
  ] as const)
    expect(await app.call(procedure, input, old)).toMatchObject({
      code: 'FORBIDDEN',
      data: { reason: 'passkey_required' },
    })
  expect((await register({ headers: old }, createSoftwarePasskey(app.url))).code).toBe('FORBIDDEN')
  expect((await register(user, createSoftwarePasskey(app.url))).data.recoveryCodes).toBeNull()
})

test('a recovery code replaces the passkey once, together with the password', async () => {
  const { id, email, recoveryCodes, passkeyId } = await createPasskeyUser()
  expect(new Set(recoveryCodes).size).toBe(10)
  // 16 characters of 5 random bits.
  for (const code of recoveryCodes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
  const recover = (recoveryCode: string, password?: string) =>
    app.call('session.createWithRecoveryCode', { email, password, recoveryCode })
  const [code = '', second = ''] = recoveryCodes
  expect((await recover(code)).code).toBe('UNAUTHORIZED')
  expect((await recover(code, 'wrong')).code).toBe('UNAUTHORIZED')
  const { data } = await recover(code.toLowerCase().replaceAll('-', ' '), PASSWORD)
  expect(data.user.id).toBe(id)
  expect(await methodOf(data.token)).toBe('recovery_code')
  for (let i = 0; i < 3; i++) expect((await recover(code, PASSWORD)).code).toBe('UNAUTHORIZED')
  expect((await recover(second, PASSWORD)).code).toBe('TOO_MANY_REQUESTS')
  const { rows } = await app.db.query('SELECT hash FROM recovery_codes WHERE user_id = $1', [id])
  expect(rows).toHaveLength(9)
  expect(JSON.stringify(rows)).not.toContain(second)
  expect(await audited(id)).toContainEqual({
    action: 'recovery_code.used',
    subject_id: null,
    details: { left: 9 },
  })
  // The session of the code can replace what was lost.
  expect((await register({ headers: bearer(data.token) }, createSoftwarePasskey(app.url))).status).toBe(200)
  expect((await app.call('passkeys.delete', { id: passkeyId }, bearer(data.token))).status).toBe(200)
})

test('a recovery code works without a password only for accounts that have none', async () => {
  const user = await createUser(app.services)
  const { recoveryCodes } = (await register(user, createSoftwarePasskey(app.url))).data
  const input = { email: user.email, recoveryCode: recoveryCodes[0] }
  const answers = await Promise.all([1, 2].map(() => app.call('session.createWithRecoveryCode', input)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
})

test('new recovery codes replace the old ones', async () => {
  const { email, headers, recoveryCodes } = await createPasskeyUser()
  const { data } = await app.call('passkeys.createRecoveryCodes', undefined, headers)
  expect(data.recoveryCodes).toHaveLength(10)
  const recover = (recoveryCode: string) =>
    app.call('session.createWithRecoveryCode', { email, password: PASSWORD, recoveryCode })
  expect((await recover(recoveryCodes[0]!)).status).toBe(401)
  expect((await recover(data.recoveryCodes[0])).status).toBe(200)
  const none = await createUser(app.services)
  expect((await app.call('passkeys.createRecoveryCodes', undefined, none.headers)).code).toBe('CONFLICT')
})

describe('a password can be removed', () => {
  test('if the user has a passkey, which is then the only way to sign in', async () => {
    const { id, email, headers, passkey, passkeyId, recoveryCodes } = await createPasskeyUser()
    await app.call('passkeys.setRequired', { required: false }, headers)
    expect((await app.call('passkeys.list', undefined, headers)).data.hasPassword).toBe(true)
    const withPassword = { email, password: PASSWORD }
    expect((await app.call('session.create', withPassword)).status).toBe(200)
    expect((await app.call('passkeys.removePassword', undefined, headers)).status).toBe(200)
    expect((await app.call('session.create', withPassword)).code).toBe('UNAUTHORIZED')
    expect((await signIn(passkey)).status).toBe(200)
    expect((await app.call('passkeys.delete', { id: passkeyId }, headers)).code).toBe('CONFLICT')
    const recovery = { email, recoveryCode: recoveryCodes[0] }
    expect((await app.call('session.createWithRecoveryCode', recovery)).status).toBe(200)
    expect((await app.call('account.signInMethods', undefined, headers)).data.password).toBe(false)
    expect((await app.call('passkeys.list', undefined, headers)).data.hasPassword).toBe(false)
    const removals = (await audited(id)).filter(({ action }) => action === 'password.changed')
    expect(removals).toMatchObject([{ details: { removed: true } }])
    // A second removal changes nothing.
    expect((await app.call('passkeys.removePassword', undefined, headers)).status).toBe(200)
    expect((await audited(id)).filter(({ action }) => action === 'password.changed')).toHaveLength(1)
  })

  test('but not without a passkey, an old sign-in, or a session that a password started', async () => {
    const user = await createUser(app.services, { password: PASSWORD })
    expect((await app.call('passkeys.removePassword', undefined, user.headers)).code).toBe('CONFLICT')
    const old = bearer(await createSession(app.services, user.id, new Date(Date.now() - 16 * 60_000)))
    const { code, data } = await app.call('passkeys.removePassword', undefined, old)
    expect([code, data.reason]).toEqual(['FORBIDDEN', 'reauthentication_required'])
    const { data: session } = await app.call('session.create', { email: user.email, password: PASSWORD })
    await register(user, createSoftwarePasskey(app.url))
    const rejected = await app.call('passkeys.removePassword', undefined, bearer(session.token))
    expect([rejected.code, rejected.data.reason]).toEqual(['FORBIDDEN', 'passkey_required'])
    const { rows } = await app.db.query('SELECT password_hash FROM users WHERE id = $1', [user.id])
    expect(rows[0].password_hash).not.toBeNull()
  })
})

test('the last way to sign in cannot be deleted', async () => {
  const user = await createUser(app.services)
  const first = (await register(user, createSoftwarePasskey(app.url))).data
  expect((await app.call('passkeys.delete', { id: first.id }, user.headers)).code).toBe('CONFLICT')
  const second = (await register(user, createSoftwarePasskey(app.url))).data
  const both = await Promise.all(
    [first, second].map(({ id }) => app.call('passkeys.delete', { id }, user.headers)),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])

  const withPassword = await createPasskeyUser()
  await app.call('passkeys.delete', { id: withPassword.passkeyId }, withPassword.headers)
  expect((await app.call('passkeys.list', undefined, withPassword.headers)).data).toEqual({
    items: [],
    required: true,
    recoveryCodes: 0,
    hasPassword: expect.any(Boolean),
  })
  const back = { email: withPassword.email, password: PASSWORD }
  expect((await app.call('session.create', back)).status).toBe(200)
})

test('an identity of a provider that is no longer configured is not a way to sign in', async () => {
  const user = await createUser(app.services)
  const { id } = (await register(user, createSoftwarePasskey(app.url))).data
  await app.db.query(
    'INSERT INTO accounts (provider, provider_account_id, user_id) VALUES ($1, gen_random_uuid(), $2)',
    ['github', user.id],
  )
  expect((await app.call('passkeys.delete', { id }, user.headers)).code).toBe('CONFLICT')
})

test('renaming and deleting are recorded with the ID', async () => {
  const { id, headers, passkeyId } = await createPasskeyUser()
  const name = 'Phone'
  expect((await app.call('passkeys.rename', { id: passkeyId, name }, headers)).status).toBe(200)
  expect((await app.call('passkeys.delete', { id: passkeyId }, headers)).status).toBe(200)
  expect((await audited(id)).slice(1)).toEqual([
    {
      action: 'passkey.changed',
      subject_id: passkeyId,
      details: { field: 'name', old: 'node', new: 'Phone' },
    },
    { action: 'passkey.deleted', subject_id: passkeyId, details: { name: 'Phone' } },
  ])
})

test('after a password change, the session still counts as started with the passkey or recovery code', async () => {
  const { headers } = await createPasskeyUser()
  const input = { currentPassword: PASSWORD, newPassword: 'a staple for the horse' }
  const { data } = await app.call('account.changePassword', input, headers)
  expect(await methodOf(data.token)).toBe('passkey')
})

test('a disabled user’s passkey looks like an unknown one', async () => {
  const { id, passkey } = await createPasskeyUser()
  await app.db.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
  const [disabled, unknown] = [await signIn(passkey), await signIn(createSoftwarePasskey(app.url))]
  expect(disabled).toMatchObject({ status: 401, message: unknown.message })
})
