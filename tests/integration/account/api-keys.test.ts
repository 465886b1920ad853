import { randomUUID } from 'node:crypto'
import { type OidcEmulator, startOidc } from '@pigeonhole/emulators/oidc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKeyRepo } from '../../../src/server/adapters/postgres/accounts/api-key-repo.ts'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { deleteUser, updateUser } from '../../../src/server/api/http/admin/users.ts'
import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { createPushToken } from '../../../src/server/api/http/push-tokens.ts'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { appRouter } from '../../../src/server/api/trpc/router.ts'
import { createApiKeys, MAX_API_KEYS_PER_USER } from '../../../src/server/domain/accounts/api-keys.ts'
import { API_KEY_SCOPES } from '../../../src/server/domain/accounts/schema.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { createSession, createUser, sessionOf, type TestUser } from '../../support/users.ts'

const AUDIENCE = 'https://files.example.com'
const PASSWORD = 'correct horse battery'
let issuer: OidcEmulator
let app: TestApp
let db: Db

beforeAll(async () => {
  issuer = await startOidc({ clients: [], audience: AUDIENCE, algorithm: 'ES256' })
  app = await startTestApp({
    AUTH_JWT_ISSUER: issuer.issuer,
    AUTH_JWT_AUDIENCE: AUDIENCE,
    // The rejections by scope below include sign-ups and wrong sign-ins from one address.
    SIGNIN_FAILURES_PER_15_MIN: '1000',
  })
  db = createDb(app.config.databaseUrl, 4)
})
afterAll(async () => {
  await db.close()
  await app.close()
  await issuer.close()
})

type Scope = (typeof API_KEY_SCOPES)[number]
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const call = (who: Pick<TestUser, 'headers'>, procedure: string, input?: unknown) =>
  callProcedure((request) => handleTrpc(request, Promise.resolve(app.services)), who, procedure, input)

async function keyOf(user: Pick<TestUser, 'headers'>, scopes: readonly Scope[], more: object = {}) {
  const { data, error } = await call(user, 'apiKeys.create', { name: 'ci', scopes, ...more })
  if (error) throw new Error(error.message)
  return data as { id: string; token: string; expiresAt: string }
}

const isAccepted = async (token: string) => (await call(bearer(token), 'files.list')).status === 200

describe('creating a key', () => {
  test('returns it once, as `pk_` and 256 random bits, and stores only its hash', async () => {
    const user = await createUser(app.services)
    const before = Date.now()
    const { id, token, expiresAt } = await keyOf(user, ['files:read'], {
      name: ' nightly ',
      expiresInDays: 30,
    })
    expect(token).toMatch(/^pk_[A-Za-z0-9_-]{43}$/)
    expect(new Date(expiresAt).getTime() - before).toBeCloseTo(30 * 86_400_000, -4)
    const { data } = await call(user, 'apiKeys.list')
    const listed = {
      id,
      name: 'nightly',
      scopes: ['files:read'],
      suffix: token.slice(-4),
      createdAt: expect.any(String),
      expiresAt,
      lastUsedAt: null,
    }
    expect(data.items).toEqual([listed])
    const { rows } = await app.db.query('SELECT * FROM api_keys WHERE id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(token.slice(3))
    expect(rows[0].hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each<[string, object, string]>([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['push:send'] }, 'scopes.0'],
    ['a scope twice', { scopes: ['files:read', 'files:read'] }, 'scopes'],
    ['no name', { name: ' ' }, 'name'],
    ['an unpaired surrogate in the name', { name: '\ud800' }, 'name'],
    ['zero days', { expiresInDays: 0 }, 'expiresInDays'],
    ['half a day', { expiresInDays: 0.5 }, 'expiresInDays'],
    ['more than ten years', { expiresInDays: 3651 }, 'expiresInDays'],
  ])('with %s is rejected, and the error names the field', async (_, wrong, field) => {
    const user = await createUser(app.services)
    const { status, error } = await call(user, 'apiKeys.create', {
      name: 'ci',
      scopes: ['files:read'],
      ...wrong,
    })
    expect(status).toBe(400)
    expect(error!.fieldErrors).toHaveProperty([field])
  })

  test(`is limited to ${MAX_API_KEYS_PER_USER}, including parallel calls; expired keys do not count`, async () => {
    const user = await createUser(app.services)
    await app.db.query(
      `INSERT INTO api_keys (id, hash, user_id, name, scopes, expires_at)
       SELECT gen_random_uuid(), gen_random_uuid(), $1, 'n', '{files:read}', now() + interval '1 day'
       FROM generate_series(1, $2)`,
      [user.id, MAX_API_KEYS_PER_USER - 1],
    )
    const create = () => call(user, 'apiKeys.create', { name: 'ci', scopes: ['files:read'] })
    const answers = await Promise.all([create(), create(), create()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    await app.db.query(`UPDATE api_keys SET expires_at = now() WHERE user_id = $1 AND name = 'n'`, [user.id])
    expect((await create()).status).toBe(200)
  })

  test('works for users of the external issuer too, for at most 90 days', async () => {
    const ada = bearer(issuer.mint({ sub: randomUUID() }))
    const { token, expiresAt } = await keyOf(ada, ['files:read'])
    expect(await isAccepted(token)).toBe(true)
    expect(new Date(expiresAt).getTime() - Date.now()).toBeCloseTo(90 * 86_400_000, -5)
    expect((await keyOf(ada, ['files:read'], { expiresInDays: 90 })).token).toMatch(/^pk_/)
    const longer = { name: 'ci', scopes: ['files:read'], expiresInDays: 91 }
    expect(await call(ada, 'apiKeys.create', longer)).toMatchObject({
      status: 400,
      error: { fieldErrors: { expiresInDays: ['must be at most 90 for users of an external issuer'] } },
    })
    const here = await createUser(app.services)
    const year = new Date((await keyOf(here, ['files:read'])).expiresAt).getTime() - Date.now()
    expect(year).toBeCloseTo(365 * 86_400_000, -5)
  })

  describe('of a user of the external issuer', () => {
    const secret = { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' }
    const send = (method: string, id: string, body?: object) => {
      const request = new Request(`http://app.test/api/admin/users/${id}`, {
        method,
        headers: secret,
        ...(body && { body: JSON.stringify(body) }),
      })
      const handle = method === 'DELETE' ? deleteUser : updateUser
      return handle(request, app.services, { id })
    }
    async function external() {
      const sub = randomUUID()
      const { token } = await keyOf(bearer(issuer.mint({ sub })), ['files:read'])
      const { rows } = await app.db.query('SELECT id FROM users WHERE external_id = $1', [sub])
      return { sub, token, id: rows[0].id as string }
    }

    test('ends permanently when the backend disables the user', async () => {
      const { token, id } = await external()
      expect((await send('PATCH', id, { disabled: true })).status).toBe(200)
      expect(await isAccepted(token)).toBe(false)
      expect((await send('PATCH', id, { disabled: false })).status).toBe(200)
      expect(await isAccepted(token)).toBe(false)
      const { rows } = await app.db.query(
        "SELECT details FROM audit_entries WHERE user_id = $1 AND action = 'user.disabled'",
        [id],
      )
      expect(rows).toEqual([{ details: expect.objectContaining({ apiKeys: 1 }) }])
    })

    test('ends when the backend deletes the user, who gets a new account with the next token', async () => {
      const { sub, token, id } = await external()
      expect((await send('DELETE', id)).status).toBe(202)
      const back = bearer(issuer.mint({ sub }))
      expect((await call(back, 'apiKeys.list')).data.items).toEqual([])
      expect(await isAccepted(token)).toBe(false)
    })
  })

  test('fails in a call that was authenticated before all access ended', async () => {
    const user = await createUser(app.services)
    const session = await sessionOf(app.services, user.headers)
    await app.db.query('UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1', [user.id])
    const late = app.services.apiKeys.create(
      session,
      { name: 'x', expiresInDays: 1, scopes: ['files:read'] },
      { address: 'test' },
    )
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

/** Scopes that a key needs for each procedure; null: no key is allowed. Add new procedures here. */
const NEEDED: Record<string, Scope | 'any' | null> = {
  'account.changePassword': null,
  'account.delete': null,
  'account.reauthenticate': null,
  'account.rename': null,
  'account.requestEmailVerification': null,
  'account.requestPasswordReset': null,
  'account.passwordReset': null,
  'account.emailVerification': null,
  'account.resetPassword': null,
  'account.revokeSession': null,
  'account.sessions': null,
  'account.signInMethods': null,
  'account.signOutEverywhere': null,
  'account.signUp': null,
  'account.usage': null,
  'account.verifyEmail': null,
  'apiKeys.create': null,
  'apiKeys.list': null,
  'apiKeys.revoke': null,
  'devices.list': null,
  'devices.register': null,
  'devices.remove': null,
  'devices.unregister': null,
  'devices.webPushKey': null,
  'files.delete': 'files:delete',
  'files.downloadUrl': 'files:read',
  'files.emptyTrash': 'files:delete',
  'files.restore': 'files:delete',
  'files.trash': 'files:read',
  'files.list': 'files:read',
  'files.totals': 'files:read',
  'files.rename': null,
  'files.setVisibility': null,
  'files.setThumbnail': 'uploads:write',
  'messages.cancel': null,
  'messages.failures': null,
  'messages.timeline': null,
  'messages.list': null,
  'messages.markRead': null,
  'messages.sendTest': null,
  'messages.sent': null,
  'messages.status': null,
  'messages.unread': null,
  'passkeys.createRecoveryCodes': null,
  'passkeys.delete': null,
  'passkeys.list': null,
  'passkeys.register': null,
  'passkeys.registrationOptions': null,
  'passkeys.removePassword': null,
  'passkeys.rename': null,
  'passkeys.setRequired': null,
  'preferences.get': null,
  'preferences.update': null,
  'session.create': null,
  'session.createWithPasskey': null,
  'session.createWithRecoveryCode': null,
  'session.passkeyOptions': null,
  'shares.create': null,
  'shares.list': null,
  'shares.revoke': null,
  'templates.list': null,
  'templates.remove': null,
  'templates.save': null,
  'topics.list': null,
  'topics.subscribe': null,
  'topics.unsubscribe': null,
  'upload.abortMultipart': 'uploads:write',
  'upload.completeMultipart': 'uploads:write',
  'upload.completePart': 'uploads:write',
  'upload.confirmUpload': 'uploads:write',
  'upload.getPartUrl': 'uploads:write',
  'upload.getPartUrls': 'uploads:write',
  'upload.initiateMultipart': 'uploads:write',
  'upload.limits': 'any',
  'upload.requestUploadUrl': 'uploads:write',
  'upload.status': 'uploads:write',
}
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>

describe('every procedure with every scope', () => {
  test('every procedure declares what a key needs for it', () => {
    expect(Object.keys(procedures).sort()).toEqual(Object.keys(NEEDED).sort())
  })

  test.each([...API_KEY_SCOPES, 'all scopes' as const])('a key with %s', async (scope) => {
    const user = await createUser(app.services)
    const scopes = scope === 'all scopes' ? API_KEY_SCOPES : [scope]
    const { token } = await keyOf(user, scopes)
    const statusOf = async (name: string) => {
      const method = procedures[name]!._def.type === 'query' ? 'GET' : 'POST'
      const headers = { ...bearer(token).headers, 'content-type': 'application/json' }
      const body = method === 'POST' ? '{}' : undefined
      const request = new Request(`http://app.test/api/trpc/${name}`, { method, headers, body })
      return (await handleTrpc(request, Promise.resolve(app.services))).status
    }
    for (const [name, needed] of Object.entries(NEEDED)) {
      const allowed = needed === 'any' || (needed !== null && scopes.includes(needed))
      // An allowed call without correct input returns 400, or 200 if it needs no input.
      expect([name, await statusOf(name)]).toEqual([name, allowed ? expect.toBeOneOf([200, 400]) : 403])
    }
    const { status } = await downloadFile(
      new Request('http://app.test/files/none', bearer(token)),
      app.services,
      'none',
    )
    expect(status).toBe(scopes.includes('files:read') ? 404 : 403)
  })

  test('a key is neither a push token nor an admin secret', async () => {
    const { token } = await keyOf(await createUser(app.services), API_KEY_SCOPES)
    const headers = { ...bearer(token).headers, [CLIENT_ADDRESS_HEADER]: '198.51.100.9' }
    const request = new Request('http://app.test/api/push/token', { method: 'POST', headers, body: '{}' })
    expect((await createPushToken(request, Promise.resolve(app.services))).status).toBe(403)
  })
})

describe('the response gives the reason for rejecting a key that is', () => {
  const rejection = async (token: string) => (await call(bearer(token), 'files.list')).error

  test('unknown, or revoked by its user, which takes effect at once', async () => {
    const [user, other] = [await createUser(app.services), await createUser(app.services)]
    const { id, token } = await keyOf(user, ['files:read'])
    expect((await call(other, 'apiKeys.revoke', { id })).status).toBe(404)
    expect(await isAccepted(token)).toBe(true)
    expect((await call(user, 'apiKeys.revoke', { id })).data).toEqual({ success: true })
    const message = expect.stringMatching(/unknown or was revoked/)
    expect(await rejection(token)).toMatchObject({ code: 'UNAUTHORIZED', message })
    expect(await rejection('pk_made-up')).toMatchObject({ code: 'UNAUTHORIZED', message })
    expect((await call(user, 'apiKeys.revoke', { id })).status).toBe(404)
    const { rows } = await app.db.query(
      `SELECT action, actor, subject_id FROM audit_entries WHERE user_id = $1 ORDER BY id`,
      [user.id],
    )
    const entry = { actor: `user:${user.id}`, subject_id: id }
    expect(rows).toEqual([
      { action: 'api_key.created', ...entry },
      { action: 'api_key.revoked', ...entry },
    ])
  })

  test('expired', async () => {
    const { id, token } = await keyOf(await createUser(app.services), ['files:read'])
    await app.db.query(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [id])
    expect(await rejection(token)).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/expired/),
    })
  })

  test('owned by a disabled user, until the user is enabled', async () => {
    const user = await createUser(app.services)
    const { token } = await keyOf(user, ['files:read'])
    const by = { actor: 'admin', userId: null, address: null, at: new Date() }
    await createManagedUserRepo(db).update(user.id, { disabled: true }, by)
    expect(await rejection(token)).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/disabled/),
    })
    await createManagedUserRepo(db).update(user.id, { disabled: false }, by)
    expect(await isAccepted(token)).toBe(true)
  })

  test('left from a deleted account', async () => {
    const user = await createUser(app.services)
    const { token } = await keyOf(user, ['files:read'])
    await app.services.accountDeletion.deleteAccount(user.id, 'test')
    expect(await rejection(token)).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('owned by an account whose email another user has verified', async () => {
    const squatter = await createUser(app.services)
    const { token } = await keyOf(squatter, ['files:read'])
    await app.services.auth.resolveIdentity(
      {
        provider: 'oidc:test',
        providerAccountId: randomUUID(),
        email: squatter.email,
        emailVerified: true,
        name: null,
      },
      'test',
    )
    expect(await isAccepted(token)).toBe(false)
  })
})

test('a key still works after a password change and signing out everywhere', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const { token } = await keyOf(user, ['files:read'])
  const newPassword = `${PASSWORD} staple`
  await call(user, 'account.changePassword', { currentPassword: PASSWORD, newPassword })
  await call(bearer(await createSession(app.services, user.id)), 'account.signOutEverywhere')
  expect(await isAccepted(token)).toBe(true)
})

test('the last use of key and user is recorded once a minute', async () => {
  const user = await createUser(app.services)
  const { id, token } = await keyOf(user, ['files:read'])
  const clock = { time: new Date(), now: () => clock.time }
  const newKeys = { increment: async () => ({ count: 1, secondsLeft: 1 }) }
  const keys = createApiKeys({ repo: createApiKeyRepo(db), newKeys, notices: app.services.notices, clock })
  const seen = async () => {
    await keys.authenticate(token)
    const { rows } = await app.db.query(
      'SELECT k.last_used_at AS key, u.last_seen_at AS user FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id = $1',
      [id],
    )
    return rows[0]
  }
  const first = clock.time
  expect(await seen()).toEqual({ key: first, user: first })
  clock.time = new Date(first.getTime() + 59_000)
  expect(await seen()).toEqual({ key: first, user: first })
  clock.time = new Date(first.getTime() + 60_000)
  expect(await seen()).toEqual({ key: clock.time, user: clock.time })
})
