// Mailed links: which user verifies an email, who then owns the account, and what others can learn.

import { createHash, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { saveUser } from '../../../src/server/adapters/postgres/accounts/save-user.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { startHttpApp } from '../../support/app/http-app.ts'
import {
  type MailApp,
  newEmail,
  PASSWORD,
  S3_KEYS,
  startMailApp,
  tokenOf,
} from '../../support/app/mail-app.ts'
import { until } from '../../support/until.ts'
import { cheapPasswords, createUser } from '../../support/users.ts'

const NEW_PASSWORD = 'staple battery horse'
const ADMINISTERING = { actor: 'admin', address: null, userId: null, user: null }
const PNG = { filename: 'a.png', mimeType: 'image/png', size: 70 }

let app: MailApp
let db: Db
beforeAll(async () => {
  app = await startMailApp()
  db = createDb(app.config.databaseUrl, 3)
})
afterAll(async () => {
  await db.close()
  await app.close()
})
afterEach(() => {
  expect(app.mailbox.malformed).toEqual([])
  app.mailbox.faults.reset()
})

type Headers = Record<string, string>

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const verify = (token: string, headers?: Headers) => app.from('account.verifyEmail', { token }, headers)
const reset = (token: string, password = NEW_PASSWORD) =>
  app.from('account.resetPassword', { token, password })
const askReset = (email: string, headers?: Headers) =>
  app.from('account.requestPasswordReset', { email }, headers)
const upload = (headers: Headers) => app.from('upload.requestUploadUrl', PNG, headers)
const signIn = async (email: string, password: string) =>
  (await app.from('session.create', { email, password })).status
const isSignedIn = async (headers: Headers) =>
  (await app.from('account.usage', undefined, headers)).status === 200
const mailsTo = (email: string) => app.mailbox.emails.filter(({ to }) => to.includes(email))
const resetMails = (email: string) => mailsTo(email).filter(({ text }) => text.includes('/reset-password#'))
const actionsOf = async (userId: string) =>
  (await db.auditEntry.findMany({ where: { userId }, orderBy: { id: 'asc' } })).map(({ action }) => action)

/** Waits until all emails that were requested before have arrived, since they are sent in order. */
async function mailsArrived(): Promise<void> {
  for (let i = 0; i < 2; i++) await app.link('verify-email', (await app.signUp()).email)
}

/** Adds everything to the account with which its user could later get back in. */
async function settle({ id, headers }: { id: string; headers: Headers }) {
  await app.from('preferences.update', { mutedCategories: ['news'] }, headers)
  await app.from('devices.register', { platform: 'android', token: randomUUID() }, headers)
  // It was created before the operator configured mail, since unverified accounts can no longer create keys.
  await app.db.query(
    `INSERT INTO api_keys (id, user_id, hash, name, scopes, expires_at)
     VALUES ($1, $2, $3, 'squatter', '{files:read}', now() + interval '1 day')`,
    [randomUUID(), id, randomUUID()],
  )
  await app.db.query(
    `INSERT INTO push_tokens (id, user_id, hash, name, expires_at) VALUES ($1, $2, $3, 'ci', now() + interval '1 day')`,
    [randomUUID(), id, randomUUID()],
  )
  await insertFile(id)
}

/** Inserts a ready file and returns its ID. */
async function insertFile(userId: string): Promise<string> {
  const id = randomUUID()
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
     VALUES ($1, $2, 'a.png', 'image/png', 1, $3, 'READY')`,
    [id, userId, randomUUID()],
  )
  return id
}

async function account(email: string) {
  const user = await db.user.findUniqueOrThrow({
    where: { email },
    include: {
      accounts: true,
      devices: true,
      apiKeys: true,
      preference: true,
      pushTokens: true,
      files: true,
    },
  })
  return {
    id: user.id,
    name: user.name,
    verified: user.emailVerifiedAt !== null,
    hasPassword: user.passwordHash !== null,
    identities: user.accounts.length,
    devices: user.devices.length,
    apiKeys: user.apiKeys.length,
    pushTokens: user.pushTokens.length,
    muted: user.preference?.mutedCategories ?? [],
    files: user.files.length,
  }
}

const EMPTIED = {
  name: null,
  verified: true,
  identities: 0,
  devices: 0,
  apiKeys: 0,
  muted: [],
  pushTokens: 1,
  files: 1,
}

describe('a sign-up', () => {
  test('gets a link by email, has no quota before using it, and keeps everything when its own session uses it', async () => {
    const { id, email, headers } = await app.signUp()
    await settle({ id, headers })
    const before = await account(email)
    const big = { filename: 'a.mp4', mimeType: 'video/mp4', size: 11_000_000, totalParts: 3 }
    for (const rejected of [await upload(headers), await app.from('upload.initiateMultipart', big, headers)])
      expect(rejected).toMatchObject({
        status: 413,
        code: 'QUOTA_EXCEEDED',
        message: expect.stringMatching(/^Verify your email/),
      })
    expect((await app.from('account.usage', undefined, headers)).data).toEqual({
      used: 0,
      reserved: 0,
      quota: 0,
    })

    const token = await app.link('verify-email', email)
    expect((await verify(token, headers)).data).toEqual({ success: true, email, resetToken: null })
    expect((await upload(headers)).status).toBe(200)
    expect((await app.from('account.usage', undefined, headers)).data.quota).toBe(524_288_000)
    expect(await account(email)).toEqual({ ...before, verified: true, files: 2 })
    expect(await signIn(email, PASSWORD)).toBe(200)
    expect(await actionsOf(id)).toContain('email.verified')
    expect(await actionsOf(id)).not.toContain('account.taken_over')
  })

  test('reserves no quota in a hundred parallel calls', async () => {
    const { id, headers } = await app.signUp()
    const answers = await Promise.all(Array.from({ length: 100 }, () => upload(headers)))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['QUOTA_EXCEEDED']))
    expect(await db.file.count({ where: { userId: id } })).toBe(0)
  })

  test('stores no templates, topics, API keys or shared links before its email is verified', async () => {
    const { id, email, headers } = await app.signUp()
    const fileId = await insertFile(id)
    const calls: [procedure: string, input: object][] = [
      ['templates.save', { name: 'a', content: { title: 'A' } }],
      ['topics.subscribe', { topic: 'news' }],
      ['apiKeys.create', { name: 'a', scopes: ['files:read'] }],
      ['shares.create', { fileId }],
    ]
    const storeAll = () => Promise.all(calls.map(([procedure, input]) => app.from(procedure, input, headers)))
    for (const answer of await storeAll())
      expect(answer).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
        message: expect.stringMatching(/^Verify your email first/),
        data: { reason: 'email_unverified' },
      })
    for (const procedure of ['templates.list', 'topics.list', 'apiKeys.list', 'shares.list'])
      expect((await app.from(procedure, undefined, headers)).data).toEqual({ items: [] })

    await verify(await app.link('verify-email', email), headers)
    expect((await storeAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  test('gets a response while the mail server hangs, and so does a request for another link', async () => {
    app.mailbox.faults.add({ at: 'connect', do: 'hang', times: 2 })
    const { headers } = await app.signUp()
    expect((await app.from('account.requestEmailVerification', undefined, headers)).status).toBe(200)
  })

  test('gets its email although the server rejected it at first', async () => {
    app.mailbox.faults.add({ at: 'rcpt', do: { reject: 451 }, times: 1 })
    const { email } = await app.signUp()
    await app.link('verify-email', email)
  })

  test('gets another working link on request; an account with a verified email gets no more', async () => {
    const { email, headers } = await app.signUp()
    const first = await app.link('verify-email', email)
    await app.from('account.requestEmailVerification', undefined, headers)
    await until('both emails', () => mailsTo(email).length === 2)
    expect((await verify(first, headers)).status).toBe(200)
    expect((await app.from('account.requestEmailVerification', undefined, headers)).status).toBe(200)
    await mailsArrived()
    expect(mailsTo(email)).toHaveLength(2)
    // Using the first link also invalidated the second.
    expect(await verify(tokenOf(mailsTo(email)[1]!), headers)).toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('gets at most five emails an hour while it is deleted and repeated', async () => {
    const email = newEmail()
    for (let round = 1; round <= 7; round++) {
      const { headers } = await app.signUp(email)
      if (round <= 5) await until(`mail ${round}`, () => mailsTo(email).length === round)
      else await mailsArrived()
      await app.from('account.delete', { password: PASSWORD }, headers)
    }
    expect(mailsTo(email)).toHaveLength(5)
  })
})

describe('an account that a squatter created with another user’s email', () => {
  test('when the owner uses the link, the squatter’s session, password and data are gone, and the owner sets a password', async () => {
    const squatter = await app.signUp()
    await settle(squatter)
    const { email } = squatter
    const { status, data } = await verify(await app.link('verify-email', email))
    expect([status, data]).toEqual([
      200,
      { success: true, email, resetToken: expect.stringMatching(/^[\w-]{43}$/) },
    ])
    expect(await account(email)).toEqual({ id: squatter.id, ...EMPTIED, hasPassword: false })
    expect(await isSignedIn(squatter.headers)).toBe(false)
    expect(await signIn(email, PASSWORD)).toBe(401)
    expect(await actionsOf(squatter.id)).toEqual(
      expect.arrayContaining(['account.taken_over', 'email.verified']),
    )

    expect(await reset(data.resetToken)).toMatchObject({ status: 200, data: { success: true, email } })
    expect(await signIn(email, NEW_PASSWORD)).toBe(200)
    expect(await signIn(email, PASSWORD)).toBe(401)
    expect((await reset(data.resetToken)).code).toBe('BAD_REQUEST')
  })

  test('when the owner resets the password, the same happens', async () => {
    const squatter = await app.signUp()
    await settle(squatter)
    const { email } = squatter
    await askReset(email)
    expect((await reset(await app.link('reset-password', email))).data).toEqual({ success: true, email })
    expect(await account(email)).toEqual({ id: squatter.id, ...EMPTIED, hasPassword: true })
    expect(await isSignedIn(squatter.headers)).toBe(false)
    expect([await signIn(email, PASSWORD), await signIn(email, NEW_PASSWORD)]).toEqual([401, 200])
    expect(await actionsOf(squatter.id)).toEqual(
      expect.arrayContaining(['account.taken_over', 'email.verified', 'password.reset']),
    )
    // The reset also invalidated earlier links to the same mailbox.
    expect((await verify(await app.link('verify-email', email))).code).toBe('BAD_REQUEST')
  })

  test('if the provider has not verified the email, the owner gets a link, and using it removes that identity', async () => {
    const email = newEmail()
    const identity = {
      provider: 'oidc:test',
      providerAccountId: randomUUID(),
      email,
      emailVerified: false,
      name: 'Squatter',
    }
    const squatter = await app.services.auth.resolveIdentity(identity, 'test')
    if (typeof squatter === 'string') throw new Error(squatter)
    await verify(await app.link('verify-email', email))
    expect(await account(email)).toMatchObject({ verified: true, identities: 0, name: null })
    expect(await app.services.auth.resolveIdentity(identity, 'test')).toBe('OAuthAccountNotLinked')
  })

  test('a change of password by the squatter that is in progress when the owner arrives does not take effect', async () => {
    const squatter = await app.signUp()
    const token = await app.link('verify-email', squatter.email)
    const [late] = await Promise.all([
      app.from(
        'account.changePassword',
        { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
        squatter.headers,
      ),
      verify(token),
    ])
    expect(await signIn(squatter.email, NEW_PASSWORD)).toBe(401)
    if (late.data.token) expect(await isSignedIn({ authorization: `Bearer ${late.data.token}` })).toBe(false)
  })
})

describe('a link', () => {
  const KINDS = [
    ['verify-email', verify],
    ['reset-password', reset],
  ] as const

  async function mailed(kind: (typeof KINDS)[number][0]) {
    const member = await app.signUp()
    if (kind === 'reset-password') await askReset(member.email)
    return { ...member, token: await app.link(kind, member.email) }
  }

  test.each(KINDS)('to %s works only once, even if used ten times at once', async (kind, use) => {
    const { token } = await mailed(kind)
    const answers = await Promise.all(Array.from({ length: 10 }, () => use(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await use(token)).code).toBe('BAD_REQUEST')
  })

  test.each(KINDS)('to %s is valid for an hour', async (kind, use) => {
    const { id, email, token } = await mailed(kind)
    const { rows } = await app.db.query(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM email_tokens WHERE user_id = $1',
      [id],
    )
    expect(rows.every(({ seconds }) => seconds === 3600)).toBe(true)
    await app.db.query('UPDATE email_tokens SET expires_at = now() WHERE user_id = $1', [id])
    expect(await use(token)).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/older than an hour/),
    })
    expect((await account(email)).verified).toBe(false)
    expect(await signIn(email, PASSWORD)).toBe(200)
  })

  test.each(KINDS)('to %s has 256 random bits, of which only a hash is stored', async (kind) => {
    const { token } = await mailed(kind)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const { rows } = await app.db.query('SELECT * FROM email_tokens')
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(await db.auditEntry.findMany())).not.toContain(token)
  })

  test('for one purpose does not work for another', async () => {
    const { token: toVerify } = await mailed('verify-email')
    const { token: toReset } = await mailed('reset-password')
    expect((await reset(toVerify)).code).toBe('BAD_REQUEST')
    expect((await verify(toReset)).code).toBe('BAD_REQUEST')
  })

  test('of an account other than the signed-in one verifies neither, and still works', async () => {
    const [ada, eve] = [await app.signUp(), await app.signUp()]
    const token = await app.link('verify-email', ada.email)
    expect(await verify(token, eve.headers)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: expect.stringMatching(/another account/),
    })
    expect([(await account(ada.email)).verified, (await account(eve.email)).verified]).toEqual([false, false])
    expect((await verify(token, ada.headers)).status).toBe(200)
  })

  test.each(KINDS)('to %s does nothing for a user who was disabled or deleted since', async (kind, use) => {
    const disabled = await mailed(kind)
    await createManagedUserRepo(db).update(
      disabled.id,
      { disabled: true },
      { actor: 'admin', userId: null, address: null, at: new Date() },
    )
    const deleted = await mailed(kind)
    await app.from('account.delete', { password: PASSWORD }, deleted.headers)
    for (const { token } of [disabled, deleted]) expect((await use(token)).code).toBe('BAD_REQUEST')
    expect(await account(disabled.email)).toMatchObject({ verified: false, name: 'Squatter' })
  })

  test('is not consumed by a GET', async () => {
    const { token, headers } = await mailed('verify-email')
    const input = encodeURIComponent(JSON.stringify({ token }))
    const response = await fetch(`${app.url}/api/trpc/account.verifyEmail?input=${input}`)
    expect(response.status).toBe(405)
    expect((await verify(token, headers)).status).toBe(200)
  })

  test.each(['', 'x'.repeat(257), 'x', '../../etc', '\u0000'])(
    'that we never created (%j) is rejected',
    async (token) => {
      expect((await verify(token)).code).toBe('BAD_REQUEST')
      expect((await reset(token)).code).toBe('BAD_REQUEST')
    },
  )

  test('is removed from the table when it has expired', async () => {
    const { id } = await mailed('verify-email')
    const { id: other } = await mailed('verify-email')
    await app.db.query('UPDATE email_tokens SET expires_at = now() WHERE user_id = $1', [id])
    await app.services.sessionSweeper.run()
    expect(await db.emailToken.count({ where: { userId: id } })).toBe(0)
    expect(await db.emailToken.count({ where: { userId: other } })).toBe(1)
  })

  test.each([
    { procedure: 'account.emailVerification', use: verify },
    { procedure: 'account.passwordReset', use: reset },
  ])(
    '$procedure names the account of a link without using it, and only to callers with a working link of its kind',
    async ({ procedure, use }) => {
      const { email } = await app.signUp()
      const verifyToken = await app.link('verify-email', email)
      await askReset(email)
      const links = [verifyToken, await app.link('reset-password', email)]
      const [token, otherKind] = use === verify ? links : links.toReversed()
      const ask = (given: string) => app.from(procedure, { token: given })
      expect((await ask(token!)).data).toEqual({ email })
      for (const other of [otherKind!, 'x'.repeat(43), email])
        expect((await ask(other)).code, other).toBe('BAD_REQUEST')
      expect((await use(token!)).status).toBe(200)
      expect((await ask(token!)).code).toBe('BAD_REQUEST')
    },
  )
})

describe('a forgotten password', () => {
  test.each([true, false, undefined])(
    'keeps API keys and shared links unless asked (endKeysAndShares: %s)',
    async (endKeysAndShares) => {
      const { id, email, headers } = await app.signUp()
      await verify(await app.link('verify-email', email), headers)
      const fileId = await insertFile(id)
      const key = { name: 'ci', scopes: ['files:read'] }
      const { token } = (await app.from('apiKeys.create', key, headers)).data
      await app.from('shares.create', { fileId }, headers)
      await askReset(email)
      const link = await app.link('reset-password', email)
      const input = { token: link, password: NEW_PASSWORD, endKeysAndShares }
      expect((await app.from('account.resetPassword', input)).status).toBe(200)

      const isKeyAccepted = (await app.from('files.list', undefined, bearer(token))).status === 200
      const session = (await app.from('session.create', { email, password: NEW_PASSWORD })).data
      const shares = (await app.from('shares.list', undefined, bearer(session.token))).data.items
      expect([isKeyAccepted, shares.length]).toEqual(endKeysAndShares ? [false, 0] : [true, 1])
      const entry = await db.auditEntry.findFirstOrThrow({ where: { userId: id, action: 'password.reset' } })
      if (endKeysAndShares) expect(entry.details).toEqual({ apiKeys: 1, shares: 1 })
    },
  )

  test('of a verified account is replaced: all sessions end, and the account keeps everything else', async () => {
    const ada = await app.signUp()
    await verify(await app.link('verify-email', ada.email), ada.headers)
    await settle(ada)
    const before = await account(ada.email)
    await askReset(` ${ada.email.toUpperCase()}`)
    await reset(await app.link('reset-password', ada.email))
    expect(await account(ada.email)).toEqual(before)
    expect(await isSignedIn(ada.headers)).toBe(false)
    expect([await signIn(ada.email, PASSWORD), await signIn(ada.email, NEW_PASSWORD)]).toEqual([401, 200])
    expect(await actionsOf(ada.id)).toContain('password.reset')
    expect(await actionsOf(ada.id)).not.toContain('account.taken_over')
  })

  test('signs in from a new address, although strangers have used up the account’s wrong passwords', async () => {
    const { email } = await app.signUp()
    await askReset(email)
    const token = await app.link('reset-password', email)
    const away = { 'x-pigeonhole-address': randomUUID() }
    for (let i = 0; i < 10; i++) await signIn(email, 'wrong password')
    expect(await signIn(email, NEW_PASSWORD)).toBe(429)
    const input = { token, password: NEW_PASSWORD }
    expect((await app.from('account.resetPassword', input, away)).status).toBe(200)
    const session = await app.from('session.create', { email, password: NEW_PASSWORD }, away)
    expect(session.status).toBe(200)
    expect(await signIn(email, NEW_PASSWORD)).toBe(429)
  })

  test('a password that is too short is rejected, and the link still works', async () => {
    const { email } = await app.signUp()
    await askReset(email)
    const token = await app.link('reset-password', email)
    const { data } = await reset(token, 'short')
    expect(Object.keys(data.fieldErrors)).toEqual(['password'])
    expect((await reset(token)).status).toBe(200)
  })

  test('any address gets the same response, before the app checks for an account', async () => {
    const known = await app.signUp()
    const disabled = await app.signUp()
    await app.link('verify-email', disabled.email)
    await createManagedUserRepo(db).update(
      disabled.id,
      { disabled: true },
      { actor: 'admin', userId: null, address: null, at: new Date() },
    )
    const unknown = newEmail()
    const client = await app.db.connect()
    // These tables are locked now, so neither the response nor its time can depend on them.
    await client.query('BEGIN; LOCK TABLE users, email_tokens IN ACCESS EXCLUSIVE MODE')
    const answers = await Promise.all([known.email, disabled.email, unknown].map((email) => askReset(email)))
    await client.query('ROLLBACK')
    client.release()
    expect(answers.map(({ status, data }) => [status, data])).toEqual(Array(3).fill([200, { success: true }]))
    // Only users with a usable account get an email.
    await app.link('reset-password', known.email)
    await mailsArrived()
    expect([disabled.email, unknown].flatMap(resetMails)).toEqual([])
  })

  test('an address gets five emails an hour, whether or not it has an account, and their links still work', async () => {
    const { email } = await app.signUp()
    for (const asked of [email, newEmail()]) {
      const answers = []
      for (let i = 0; i < 6; i++) answers.push(await askReset(asked))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      expect(Number(answers[5]!.headers.get('retry-after'))).toBeGreaterThan(3500)
    }
    await until('five emails', () => resetMails(email).length === 5)
    expect((await reset(tokenOf(resetMails(email)[0]!))).status).toBe(200)
  })

  test('all sub-addresses of a mailbox together get five emails an hour', async () => {
    const mailbox = randomUUID()
    const answers = []
    for (const suffix of ['', '+1', '+2', '+3+4', '+', '+5'])
      answers.push((await askReset(`${mailbox}${suffix}@example.com`)).status)
    expect(answers).toEqual([200, 200, 200, 200, 200, 429])
    // Not every provider ignores dots.
    expect((await askReset(`${mailbox}.a@example.com`)).status).toBe(200)
  })

  test('unverified addresses of one domain get five hundred emails an hour, and verified ones any number', async () => {
    const domain = `${randomUUID()}.example`
    const verified = await app.signUp(`ada@${domain}`)
    await verify(await app.link('verify-email', verified.email), verified.headers)
    const counter = `mail:verify:domain:${createHash('sha256').update(domain).digest('base64url')}`
    const query = 'UPDATE rate_limits SET points = 499 WHERE key = $1'
    expect((await app.db.query(query, [counter])).rowCount).toBe(1)
    const last = await app.signUp(`last@${domain}`)
    await app.link('verify-email', last.email)
    const warnings = vi.spyOn(app.services.log, 'warn')
    onTestFinished(() => warnings.mockRestore())
    const rejected = await app.signUp(`rejected@${domain}`)
    expect((await app.from('account.requestEmailVerification', undefined, rejected.headers)).status).toBe(200)
    await mailsArrived()
    expect(mailsTo(rejected.email)).toEqual([])
    // Once, not for each email, and without the address.
    const text = 'no more emails to unverified addresses of one domain for up to an hour'
    expect(warnings.mock.calls.filter(([, message]) => message === text)).toEqual([
      [{ purpose: 'verify', limit: 500 }, text],
    ])

    const rename = `UPDATE rate_limits SET key = replace(key, 'verify', 'reset') WHERE key = $1`
    await app.db.query(rename, [counter])
    for (const { email } of [rejected, verified]) await askReset(email)
    await app.link('reset-password', verified.email)
    expect(mailsTo(rejected.email)).toEqual([])
  })

  test('one IP address can make sixty requests an hour', async () => {
    const one = { 'x-pigeonhole-address': randomUUID() }
    const answers = []
    for (let i = 0; i < 61; i++) answers.push((await askReset(newEmail(), one)).status)
    expect(answers).toEqual([...Array(60).fill(200), 429])
  })
})

describe('an email', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.8', undefined, /Bestätigen Sie/],
    ['fr,en;q=0.5', undefined, /Confirm/],
    ['en', 'pigeonhole-locale=de', /Bestätigen Sie/],
  ])('is in the language of the reader’s pages: %s, cookie %s', async (accepted, cookie, subject) => {
    const headers = { 'accept-language': accepted, ...(cookie && { cookie }) }
    const { email } = await app.signUp(newEmail(), headers)
    await app.link('verify-email', email)
    expect(mailsTo(email)[0]!.subject).toMatch(subject)
  })

  test('has our sender, a link at NEXTAUTH_URL, and asks programs not to reply', async () => {
    const { email } = await app.signUp()
    await app.link('verify-email', email)
    const [mail] = mailsTo(email)
    expect(mail).toMatchObject({
      from: 'files@example.com',
      to: [email],
      html: expect.stringContaining('<a href='),
    })
    expect(mail!.headers).toMatchObject({
      from: 'Files <files@example.com>',
      'auto-submitted': 'auto-generated',
    })
    expect(mail!.text).toContain(`${app.url}/verify-email#`)
  })

  test('to an unusual address of an old account reaches no other mailbox', async () => {
    for (const email of [
      'a,eve@example.com',
      'a;eve@example.com',
      '"a" <eve@example.com>',
      'a(b)@example.com',
    ]) {
      // New accounts cannot have such an address.
      expect((await app.from('account.signUp', { email, password: PASSWORD })).code).toBe('BAD_REQUEST')
      const user = await createUser(app.services, { email })
      await app.from('account.requestEmailVerification', undefined, user.headers)
    }
    await mailsArrived()
    expect(app.mailbox.emails.flatMap(({ to }) => to).filter((to) => /^(eve|a\b)/.test(to))).toEqual([])
  })

  test.each([
    'a\r\nBcc:eve@example.com',
    'a@example.com>\r\nRCPT TO:<eve@example.com',
    'a\u0000@example.com',
  ])('cannot be redirected by an address with control characters (%j)', async (email) => {
    for (const answer of [
      await app.from('account.signUp', { email, password: PASSWORD }),
      await askReset(email),
    ])
      expect(answer).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
  })
})

describe('users whose email needs no verification', () => {
  const made: string[] = []
  const verifiedBy = async (email: string) => {
    const identity = {
      provider: 'oidc:test',
      providerAccountId: randomUUID(),
      email,
      emailVerified: true,
      name: null,
    }
    const user = await app.services.auth.resolveIdentity(identity, 'test')
    return typeof user === 'string' ? user : user.id
  }
  const byCommand = async (email: string) => {
    const saved = await saveUser(db, { email, passwordHash: await cheapPasswords.hash(PASSWORD) })
    return typeof saved === 'string' ? saved : saved.id
  }
  const byAdmin = async (email: string) =>
    (await app.services.userAdministration.create({ email }, ADMINISTERING, 'en')).id
  const ofIssuer = async () => {
    const id = randomUUID()
    await app.db.query('INSERT INTO users (id, external_issuer, external_id) VALUES ($1, $2, $3)', [
      id,
      'https://issuer.example',
      id,
    ])
    return id
  }

  test.each([
    ['from a provider that has verified it', verifiedBy],
    ['created by user:create', byCommand],
    ['created by an administrator', byAdmin],
    ['of an external issuer', ofIssuer],
  ])('%s', async (_who, make) => {
    const email = newEmail()
    made.push(email)
    const id = await make(email)
    // A user of an issuer has no sessions here, but can have keys.
    const user = { id, epoch: 0, name: null, role: 'user', via: 'jwt', signedInAt: null } as const
    const key = { name: 'test', expiresInDays: 1, scopes: ['uploads:write' as const] }
    const { token } = await app.services.apiKeys.create(user, key, { address: 'test' })
    expect((await upload({ authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('get no email with a link to verify', async () => {
    await mailsArrived()
    const verifying = made.flatMap(mailsTo).filter(({ text }) => text.includes('/verify-email'))
    expect(verifying).toEqual([])
  })
})

test('without mail, no email needs verification, and calls that need mail say so', async () => {
  const without = await startHttpApp(S3_KEYS)
  onTestFinished(() => without.close())
  const { data } = await without.call('account.signUp', { email: newEmail(), password: PASSWORD })
  const headers = { authorization: `Bearer ${data.token}` }
  expect((await without.call('upload.requestUploadUrl', PNG, headers)).status).toBe(200)
  const answers = [
    await without.call('account.requestEmailVerification', undefined, headers),
    await without.call('account.requestPasswordReset', { email: newEmail() }),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: expect.stringMatching(/sends no email/),
    })
  const user = await createUser(without.services)
  expect(await without.services.emailLinks.mustVerify(user.id)).toBe(false)
})
