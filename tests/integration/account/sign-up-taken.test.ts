// With mail configured, no one learns from a sign-up whether an account has the email: the new account only claims it.

import { createHook } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { saveUser } from '../../../src/server/adapters/postgres/accounts/save-user.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import type { HttpAnswer } from '../../support/app/http-app.ts'
import { type MailApp, newEmail, PASSWORD, startMailApp, tokenOf } from '../../support/app/mail-app.ts'
import { until } from '../../support/until.ts'
import { cheapPasswords, createUser } from '../../support/users.ts'

const OWNERS_PASSWORD = 'staple battery horse'
const ADMIN = { actor: 'admin', address: null, userId: null, user: null }
const WEEK_MS = 7 * 24 * 60 * 60 * 1000

let app: MailApp
let db: Db
beforeAll(async () => {
  app = await startMailApp({ SIGNIN_FAILURES_PER_15_MIN: '6' })
  db = createDb(app.config.databaseUrl, 3)
})
afterAll(async () => {
  await db.close()
  await app.close()
})

type Headers = Record<string, string>
type Owner = { id: string; email: string }

let owner: Owner
beforeEach(async () => {
  owner = await verifiedUser()
})

async function verifiedUser(): Promise<Owner> {
  const passwordHash = await cheapPasswords.hash(OWNERS_PASSWORD)
  const saved = await saveUser(db, { email: newEmail(), passwordHash })
  if (typeof saved === 'string') throw new Error(saved)
  return saved
}

const signIn = (email: string, password: string, headers: Headers = {}) =>
  app.from('session.create', { email, password }, headers)
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const mailsTo = (email: string) => app.mailbox.emails.filter(({ to }) => to.includes(email))
const isSignedIn = async (headers: Headers) =>
  (await app.from('account.sessions', undefined, headers)).status === 200

/** Shape of a response: status, headers and body, without what differs between any two calls. */
function shapeOf({ status, headers, data, code, message }: HttpAnswer, email: string) {
  const volatile = ['date', 'x-request-id', 'content-length', 'retry-after']
  const names = [...headers].filter(([name]) => !volatile.includes(name))
  const body = JSON.stringify({ data, code, message })
    .replaceAll(email, 'EMAIL')
    .replace(/"token":"[\w.-]+"/, '"token":""')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/"retryAfterSeconds":\d+/, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  return { status, names, body }
}

/** Does the same as a stranger with each email, and returns the shapes of all responses. */
async function everythingAbout(email: string) {
  const answers: HttpAnswer[] = []
  const call = async (...args: Parameters<MailApp['from']>) => {
    answers.push(await app.from(...args))
    return answers.at(-1)!
  }
  const { data } = await call('account.signUp', { email, password: PASSWORD, name: 'Eve' })
  const headers = bearer(data.token)
  await call('account.usage', undefined, headers)
  await call('account.signInMethods', undefined, headers)
  await call('account.requestEmailVerification', undefined, headers)
  await call('devices.register', { platform: 'android', token: randomUUID() }, headers)
  await call('upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size: 70 }, headers)
  await call('apiKeys.create', { name: 'ci', scopes: ['files:read'] }, headers)
  await call('session.create', { email, password: PASSWORD })
  await call('session.create', { email, password: 'wrong password' })
  await call('session.createWithRecoveryCode', {
    email,
    password: PASSWORD,
    recoveryCode: 'AAAA-AAAA-AAAA-AAAA',
  })
  await call('account.changePassword', { currentPassword: 'wrong password', newPassword: PASSWORD }, headers)
  const changed = await call(
    'account.changePassword',
    { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` },
    headers,
  )
  await call('session.create', { email, password: PASSWORD })
  await call('session.create', { email, password: `${PASSWORD} 2` })
  await call('account.signUp', { email, password: PASSWORD })
  await call('account.requestPasswordReset', { email })
  await call('account.delete', { password: `${PASSWORD} 2` }, bearer(changed.data.token))
  await call('session.create', { email, password: `${PASSWORD} 2` })
  return answers.map((answer) => shapeOf(answer, email))
}

test('a taken and a free email get the same responses to everything that a stranger can do with them', async () => {
  const free = await everythingAbout(newEmail())
  expect(free.map(({ status }) => status)).toContain(200)
  expect(await everythingAbout(owner.email)).toEqual(free)
})

test('signing in hashes two passwords whether the email has an owner, a sign-up, both or neither', async () => {
  const fresh = newEmail()
  for (const email of [fresh, fresh, owner.email, owner.email]) await app.signUp(email)
  let hashes = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'SCRYPTREQUEST') hashes++
    },
  })
  const hashesOf = async (email: string, password: string, status: number) => {
    hashes = 0
    hook.enable()
    try {
      expect((await signIn(email, password)).status).toBe(status)
    } finally {
      hook.disable()
    }
    return hashes
  }
  // Hashes are nearly all the time of a response, so another number would tell who has an account.
  expect(await hashesOf(fresh, PASSWORD, 200)).toBe(2)
  expect(await hashesOf(owner.email, PASSWORD, 200)).toBe(2)
  for (const email of [fresh, owner.email, (await verifiedUser()).email, newEmail()])
    expect(await hashesOf(email, 'wrong password', 401)).toBe(2)
})

describe('a sign-up with the email of an account', () => {
  test('sends its owner an email that says so, without a link that changes anything', async () => {
    await app.signUp(owner.email)
    await app.mailbox.waitFor(({ to }) => to.includes(owner.email))
    const [mail] = mailsTo(owner.email)
    expect(mail?.subject).toBe('You already have an account')
    expect(mail?.text).toContain('/signin\n')
    expect(mail?.text).not.toContain('#')
  })

  test('in German to a caller who reads German', async () => {
    await app.signUp(owner.email, { 'accept-language': 'de' })
    await app.mailbox.waitFor(({ to }) => to.includes(owner.email))
    expect(mailsTo(owner.email)[0]?.subject).toBe('Sie haben bereits ein Konto')
  })

  test('sends at most five such emails an hour, whatever is requested', async () => {
    for (let i = 0; i < 4; i++) {
      const { headers } = await app.signUp(owner.email)
      await app.from('account.requestEmailVerification', undefined, headers)
    }
    await until('five emails have arrived', () => mailsTo(owner.email).length >= 5)
    const last = await app.signUp()
    await app.link('verify-email', last.email)
    expect(mailsTo(owner.email)).toHaveLength(5)
  })

  test('leaves the owner’s password, account and sessions as they are', async () => {
    const before = await db.user.findUnique({ where: { id: owner.id } })
    const { data } = await signIn(owner.email, OWNERS_PASSWORD)
    const claim = await app.signUp(owner.email)
    expect(claim.id).not.toBe(owner.id)
    expect((await signIn(owner.email, OWNERS_PASSWORD)).data.user.id).toBe(owner.id)
    expect(await isSignedIn(bearer(data.token))).toBe(true)
    const { lastSeenAt, ...after } = (await db.user.findUnique({ where: { id: owner.id } }))!
    expect(lastSeenAt).not.toBeNull()
    expect(after).toEqual({ ...after, ...before, lastSeenAt: undefined })
  })

  test('signs in with its own password, as itself', async () => {
    const claim = await app.signUp(owner.email)
    const { data } = await signIn(owner.email, PASSWORD)
    expect(data.user).toEqual({ id: claim.id, email: owner.email, name: 'Squatter' })
    expect(await isSignedIn(bearer(data.token))).toBe(true)
  })

  test('with the owner’s password signs in the owner', async () => {
    await app.from('account.signUp', { email: owner.email, password: OWNERS_PASSWORD })
    expect((await signIn(owner.email, OWNERS_PASSWORD)).data.user.id).toBe(owner.id)
  })

  test('gives its addresses no limit of their own for wrong passwords of the owner', async () => {
    await app.signUp(owner.email)
    const home = { 'x-pigeonhole-address': randomUUID() }
    expect((await signIn(owner.email, PASSWORD, home)).status).toBe(200)
    for (let i = 0; i < 6; i++) await signIn(owner.email, 'wrong password')
    expect((await signIn(owner.email, 'wrong password', home)).code).toBe('TOO_MANY_REQUESTS')
  })

  test('gives no limit to an address that confirms its password, or changes it', async () => {
    const claim = await app.signUp(owner.email)
    const home = { 'x-pigeonhole-address': randomUUID() }
    const confirmed = await app.from(
      'account.reauthenticate',
      { password: PASSWORD },
      { ...claim.headers, ...home },
    )
    expect(confirmed.status).toBe(200)
    const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` }
    const changed = await app.from('account.changePassword', passwords, { ...claim.headers, ...home })
    expect(changed.status).toBe(200)
    for (let i = 0; i < 6; i++) await signIn(owner.email, 'wrong password')
    expect((await signIn(owner.email, 'wrong password', home)).code).toBe('TOO_MANY_REQUESTS')
  })

  test('can try the owner’s password ten times a day by changing its own, and no free email allows more', async () => {
    for (const email of [owner.email, newEmail()]) {
      let { headers } = await app.signUp(email)
      const statuses: number[] = []
      for (let i = 0; i < 10; i++) {
        const [currentPassword, newPassword] = [
          i === 0 ? PASSWORD : `guess number ${i}`,
          `guess number ${i + 1}`,
        ]
        const changed = await app.from('account.changePassword', { currentPassword, newPassword }, headers)
        statuses.push(changed.status)
        if (changed.status === 200) headers = bearer(changed.data.token)
      }
      expect(statuses).toEqual([...Array(9).fill(200), 429])
    }
  })

  test('does not delay the owner at a known address, however often it signs in', async () => {
    const home = { 'x-pigeonhole-address': randomUUID() }
    expect((await signIn(owner.email, OWNERS_PASSWORD, home)).status).toBe(200)
    await app.signUp(owner.email)
    const away = { 'x-pigeonhole-address': randomUUID() }
    let done = 0
    const signIns = Array.from({ length: 40 }, async () => {
      expect((await signIn(owner.email, PASSWORD, away)).status).toBe(200)
      done++
    })
    await Promise.race(signIns)
    const before = done
    expect((await signIn(owner.email, OWNERS_PASSWORD, home)).data.user.id).toBe(owner.id)
    // Otherwise, nearly all of them come first.
    expect(done - before).toBeLessThan(30)
    await Promise.all(signIns)
  })

  test('cannot be verified, not even with the link that the owner gets for the account', async () => {
    const claim = await app.signUp(owner.email)
    await app.from('account.requestPasswordReset', { email: owner.email })
    const token = await app.link('reset-password', owner.email)
    expect((await app.from('account.verifyEmail', { token }, claim.headers)).code).toBe('BAD_REQUEST')
    const password = 'another battery horse'
    expect((await app.from('account.resetPassword', { token, password })).status).toBe(200)
    expect((await signIn(owner.email, password)).data.user.id).toBe(owner.id)
    expect(await db.emailToken.count({ where: { userId: claim.id } })).toBe(0)
  })

  test('stores nothing, even if an administrator raises its quota', async () => {
    const claim = await app.signUp(owner.email)
    await app.services.userAdministration.update(claim.id, { quotaBytes: 1_000_000 }, ADMIN)
    const input = { filename: 'a.png', mimeType: 'image/png', size: 70 }
    const answer = await app.from('upload.requestUploadUrl', input, claim.headers)
    expect(answer).toMatchObject({ code: 'QUOTA_EXCEEDED', data: { reason: 'email_unverified' } })
  })

  test('appears to administrators under its email, but never instead of the owner', async () => {
    const claim = await app.signUp(owner.email)
    const list = (search: { email?: string; query?: string }) =>
      app.services.userAdministration.list({ limit: 10, ...search })
    expect((await list({ email: owner.email })).items.map(({ id }) => id)).toEqual([owner.id])
    expect((await list({ query: owner.email })).items).toMatchObject([
      { id: claim.id, email: owner.email, emailVerified: false },
      { id: owner.id, email: owner.email, emailVerified: true },
    ])
    const other = await app.signUp(owner.email)
    const update = app.services.userAdministration.update(claim.id, { password: PASSWORD }, ADMIN)
    await expect(update).rejects.toMatchObject({ code: 'CONFLICT' })
    for (const { headers } of [claim, other]) expect(await isSignedIn(headers)).toBe(true)
  })

  test('is possible ten times a day per email, whether or not an account has it', async () => {
    for (const email of [owner.email, newEmail()]) {
      const answers: HttpAnswer[] = []
      for (let i = 0; i < 11; i++)
        answers.push(await app.from('account.signUp', { email, password: PASSWORD }))
      expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
      expect(answers.at(-1)?.message).toMatch(/^At most 10 sign-ups and new passwords are possible per day/)
    }
  })
})

describe('of several sign-ups with one free email', () => {
  test('each signs in with its own password', async () => {
    const email = newEmail()
    const passwordOf = (i: number) => `${PASSWORD} ${i}`
    const ids = await Promise.all(
      [0, 1, 2].map(
        async (i) => (await app.from('account.signUp', { email, password: passwordOf(i) })).data.user.id,
      ),
    )
    expect(new Set(ids).size).toBe(3)
    for (const i of [0, 1, 2]) expect((await signIn(email, passwordOf(i))).data.user.id).toBe(ids[i])
  })

  test.each([0, 1, 2])(
    'sign-up %i keeps everything if its session uses a link; the others are deleted',
    async (winner) => {
      const email = newEmail()
      const members = await threeSignUps(email)
      const { headers, id, token } = members[winner]!
      const verified = await app.from('account.verifyEmail', { token }, headers)
      expect(verified.data).toEqual({ success: true, email, resetToken: null })
      for (const member of members) expect(await isSignedIn(member.headers)).toBe(member.id === id)
      expect((await signIn(email, PASSWORD)).data.user.id).toBe(id)
      for (const { token } of members)
        expect((await app.from('account.verifyEmail', { token })).code).toBe('BAD_REQUEST')
    },
  )

  test('a link that is used without a session gives the emptied account to the mailbox’s owner, and deletes the others', async () => {
    const email = newEmail()
    const members = await threeSignUps(email)
    const { data } = await app.from('account.verifyEmail', { token: members[1]!.token })
    for (const { headers } of members) expect(await isSignedIn(headers)).toBe(false)
    await app.from('account.resetPassword', { token: data.resetToken, password: OWNERS_PASSWORD })
    expect((await signIn(email, PASSWORD)).status).toBe(401)
    expect((await signIn(email, OWNERS_PASSWORD)).data.user.id).toBe(members[1]!.id)
  })

  test('only one gets the email, even if all links are used at once', async () => {
    const email = newEmail()
    const members = await threeSignUps(email)
    const answers = await Promise.all(
      members.map(({ token, headers }) => app.from('account.verifyEmail', { token }, headers)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await db.user.count({ where: { OR: [{ email }, { claimedEmail: email }] } })).toBe(1)
  })

  test('all are deleted when a provider or the operator verifies the email', async () => {
    const byProvider = newEmail()
    const byOperator = newEmail()
    const byAdmin = newEmail()
    const strangers: Headers[] = []
    for (const email of [byProvider, byOperator, byAdmin])
      for (let i = 0; i < 2; i++) strangers.push((await app.signUp(email)).headers)
    const identity = {
      provider: 'oidc',
      providerAccountId: randomUUID(),
      email: byProvider,
      emailVerified: true,
      name: null,
    }
    expect(await app.services.auth.resolveIdentity(identity, 'test')).toMatchObject({ email: byProvider })
    await saveUser(db, { email: byOperator, passwordHash: await cheapPasswords.hash(OWNERS_PASSWORD) })
    const { quotaBytes } = await app.services.userAdministration.create({ email: byAdmin }, ADMIN, 'en')
    expect(quotaBytes).toBeNull()
    for (const headers of strangers) expect(await isSignedIn(headers)).toBe(false)
    for (const email of [byProvider, byOperator, byAdmin])
      expect(await db.user.count({ where: { OR: [{ email }, { claimedEmail: email }] } })).toBe(1)
  })

  test('one takes over when the account that has the email is deleted', async () => {
    await app.signUp(owner.email)
    await app.services.userAdministration.delete(owner.id, ADMIN)
    await app.from('account.requestPasswordReset', { email: owner.email })
    const token = await app.link('reset-password', owner.email)
    expect((await app.from('account.resetPassword', { token, password: OWNERS_PASSWORD })).status).toBe(200)
    expect((await signIn(owner.email, OWNERS_PASSWORD)).status).toBe(200)
  })

  const threeSignUps = async (email: string) => [
    await signUpWithLink(email),
    await signUpWithLink(email),
    await signUpWithLink(email),
  ]

  /** Signs up and waits for the email with the link. */
  async function signUpWithLink(email: string) {
    const before = mailsTo(email).length
    const member = await app.signUp(email)
    await app.mailbox.waitFor(() => mailsTo(email).length > before)
    return { ...member, token: tokenOf(mailsTo(email).at(-1)!) }
  }
})

describe('an unverified sign-up', () => {
  const signUpAt = async (email: string, verifyBy: Date) => {
    const member = await app.signUp(email)
    await db.user.update({ where: { id: member.id }, data: { verifyBy } })
    return member
  }

  test('is deleted after a week, whether or not another account has the email', async () => {
    const { verifyBy } = await db.user.findUniqueOrThrow({ where: { id: (await app.signUp()).id } })
    expect(verifyBy!.getTime() - Date.now()).toBeGreaterThan(WEEK_MS - 60_000)
    expect(verifyBy!.getTime() - Date.now()).toBeLessThanOrEqual(WEEK_MS)
    const past = new Date(Date.now() - 1)
    const overdue = [await signUpAt(newEmail(), past), await signUpAt(owner.email, past)]
    const inTime = await app.signUp(owner.email)
    await app.services.accountDeletion.resume()
    for (const { id } of overdue) expect(await db.user.count({ where: { id } })).toBe(0)
    expect(await isSignedIn(inTime.headers)).toBe(true)
    expect((await signIn(owner.email, OWNERS_PASSWORD)).status).toBe(200)
  })

  test('that cannot be deleted does not keep others from it, nor deletions that have begun', async () => {
    const past = new Date(Date.now() - 1)
    const stuck = await signUpAt(newEmail(), new Date(0))
    const overdue = await signUpAt(newEmail(), past)
    const closed = await db.user.create({ data: { id: randomUUID(), deletedAt: past } })
    await app.db.query(`
      CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cannot delete'; END $$;
      CREATE TRIGGER stuck BEFORE UPDATE ON users FOR EACH ROW
        WHEN (NEW.id = '${stuck.id}' AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION stuck()`)
    try {
      await expect(app.services.accountDeletion.resume()).rejects.toThrow('cannot delete')
    } finally {
      await app.db.query('DROP FUNCTION stuck CASCADE')
    }
    for (const { id } of [overdue, closed]) expect(await db.user.count({ where: { id } })).toBe(0)
    await app.services.accountDeletion.resume()
    expect(await db.user.count({ where: { id: stuck.id } })).toBe(0)
  })

  test('is kept if it has files or push tokens from a time without mail, if it is older than this rule, or if it was verified', async () => {
    const past = new Date(Date.now() - 1)
    const kept = [await signUpAt(newEmail(), past), await signUpAt(newEmail(), past), await app.signUp()]
    await app.db.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
       VALUES ($1, $2, 'a.png', 'image/png', 1, $3, 'READY')`,
      [randomUUID(), kept[0]!.id, randomUUID()],
    )
    await app.db.query(
      `INSERT INTO push_tokens (id, user_id, hash, name, expires_at) VALUES ($1, $2, $3, 'ci', now() + interval '1 day')`,
      [randomUUID(), kept[1]!.id, randomUUID()],
    )
    await app.from(
      'account.verifyEmail',
      { token: await app.link('verify-email', kept[2]!.email) },
      kept[2]!.headers,
    )
    await db.user.update({ where: { id: kept[2]!.id }, data: { verifyBy: past } })
    const older = await createUser(app.services)
    await app.services.accountDeletion.resume()
    for (const { headers } of [...kept, older]) expect(await isSignedIn(headers)).toBe(true)
  })
})
