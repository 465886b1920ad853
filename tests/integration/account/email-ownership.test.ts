// Ownership of an email: who comes first, who comes second, and identities that return with another email.
// docs/security.md has the same table.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveUser } from '../../../src/server/adapters/postgres/accounts/save-user.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import type { SessionUser } from '../../../src/server/domain/accounts/principal.ts'
import type { HttpApp } from '../../support/app/http-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import {
  type SignInProvider,
  signInWithOidc,
  startSignInProvider,
} from '../../support/browser/oidc-sign-in.ts'
import { cheapPasswords, createUser, sessionOf } from '../../support/users.ts'

let provider: SignInProvider
let app: HttpApp
let db: Db

beforeAll(async () => {
  provider = await startSignInProvider()
  app = await provider.startApp()
  db = createDb(app.config.databaseUrl, 3)
})
afterAll(async () => {
  await db.close()
  await app.close()
  await provider.close()
})

/** Ways to get an account: a sign-up, a provider that says (un)verified, `npm run user:create`. */
const WAYS = ['password', 'unverified', 'verified', 'operator'] as const
type Way = (typeof WAYS)[number]

type Visitor = {
  name: string | null
  /** Returns the account to which this way now leads, or null. */
  enter(): Promise<string | null>
  /** Headers of the last sign-in. */
  headers: Record<string, string>
}

/** The second user gets nothing, the account without what others added, the account unchanged, or a new password. */
type Outcome = 'rejected' | 'claims' | 'joins' | 'resets'

const UNVERIFIED = {
  password: 'rejected',
  unverified: 'rejected',
  verified: 'claims',
  operator: 'claims',
} as const
const VERIFIED = {
  password: 'rejected',
  unverified: 'rejected',
  verified: 'joins',
  operator: 'resets',
} as const
const OUTCOMES: Record<Way, Record<Way, Outcome>> = {
  password: UNVERIFIED,
  unverified: UNVERIFIED,
  verified: VERIFIED,
  operator: VERIFIED,
}

async function arrive(way: Way, email: string): Promise<Visitor> {
  if (way === 'verified' || way === 'unverified') {
    const visitor = fromProvider({ email, email_verified: way === 'verified' })
    await visitor.enter()
    return visitor
  }
  const password = `the password of ${randomUUID()}`
  const visitor: Visitor = {
    name: way === 'password' ? randomUUID() : null,
    headers: {},
    async enter() {
      const { data } = await app.call('session.create', { email, password })
      if (data.token) visitor.headers = { authorization: `Bearer ${data.token}` }
      return data.user?.id ?? null
    },
  }
  if (way === 'password') await app.call('account.signUp', { email, password, name: visitor.name })
  else await saveUser(db, { email, passwordHash: await cheapPasswords.hash(password) })
  await visitor.enter()
  return visitor
}

function fromProvider(claims: { email: string; email_verified: boolean }) {
  const identity = { sub: randomUUID(), name: randomUUID(), ...claims }
  const visitor = {
    identity,
    name: identity.name,
    headers: {},
    async enter() {
      const browser = new Browser()
      const { user } = await signInWithOidc(app, provider, identity, browser)
      if (user) visitor.headers = { cookie: browser.cookieHeader(), origin: app.url }
      return (user?.id as string | undefined) ?? null
    },
  }
  return visitor
}

/** Adds everything with which another user could later get into the account. Returns the account's ID. */
async function settle(visitor: Visitor): Promise<string> {
  const { data } = await app.call('account.sessions', undefined, visitor.headers)
  const { rows } = await app.db.query('SELECT user_id FROM sessions WHERE id = $1', [data.items[0].id])
  const userId = rows[0].user_id
  await app.call('preferences.update', { mutedCategories: ['news'] }, visitor.headers)
  await app.call('devices.register', { platform: 'android', token: randomUUID() }, visitor.headers)
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
     VALUES ($1, $2, 'a.png', 'image/png', 1, $3, 'READY')`,
    [randomUUID(), userId, randomUUID()],
  )
  return userId
}

async function account(email: string) {
  const user = await db.user.findUniqueOrThrow({
    where: { email },
    include: { accounts: true, devices: true, preference: true, files: true },
  })
  return {
    id: user.id,
    name: user.name,
    verified: user.emailVerifiedAt !== null,
    hasPassword: user.passwordHash !== null,
    identities: user.accounts.length,
    devices: user.devices.length,
    muted: user.preference?.mutedCategories ?? [],
    files: user.files.length,
  }
}

const isSignedIn = async (visitor: Visitor) =>
  (await app.call('account.usage', undefined, visitor.headers)).status === 200

const isProvider = (way: Way) => way === 'verified' || way === 'unverified'
const newEmail = () => `${randomUUID()}@example.com`

describe.each(WAYS)('an account created by %s', (first) => {
  test('is verified if a provider verified the email or the operator created it', async () => {
    const email = newEmail()
    const owner = await arrive(first, email)
    expect(await isSignedIn(owner)).toBe(true)
    expect((await account(email)).verified).toBe(first === 'verified' || first === 'operator')
  })

  test.each(WAYS.map((second) => ({ second, outcome: OUTCOMES[first][second] })))(
    'second, by $second: $outcome',
    async ({ second, outcome }) => {
      const email = newEmail()
      const owner = await arrive(first, email)
      const id = await settle(owner)
      const before = await account(email)

      const newcomer = await arrive(second, email)
      const after = await account(email)
      // There is never a second account, and files are never lost.
      expect(after).toMatchObject({ id, files: 1 })
      expect(await isSignedIn(newcomer)).toBe(outcome !== 'rejected')
      expect(await isSignedIn(owner)).toBe(outcome === 'rejected' || outcome === 'joins')

      if (outcome === 'claims') {
        expect(after).toMatchObject({ name: newcomer.name, verified: true, devices: 0, muted: [] })
        expect(after.identities).toBe(isProvider(second) ? 1 : 0)
        expect(after.hasPassword).toBe(second === 'operator')
        expect(await owner.enter()).toBeNull()
      } else {
        expect(after).toEqual({
          ...before,
          identities: before.identities + (outcome === 'joins' ? 1 : 0),
          hasPassword: before.hasPassword || outcome === 'resets',
        })
        expect(await owner.enter()).toBe(outcome === 'resets' && !isProvider(first) ? null : id)
      }
      expect(await newcomer.enter()).toBe(outcome === 'rejected' ? null : id)
    },
  )
})

describe('an identity that returns with a changed email', () => {
  test.each([
    ['unverified', 'unverified', 'free'],
    ['unverified', 'verified', 'free'],
    ['unverified', 'verified', 'verified by another user'],
    ['unverified', 'verified', 'squatted'],
    ['verified', 'unverified', 'free'],
    ['verified', 'verified', 'free'],
    ['verified', 'verified', 'verified by another user'],
    ['verified', 'verified', 'squatted'],
  ] as const)(
    '%s before, %s now, an email that is %s: keeps its account as it was',
    async (was, is, whose) => {
      const [email, other] = [newEmail(), newEmail()]
      const visitor = fromProvider({ email, email_verified: was === 'verified' })
      const id = await visitor.enter()
      const before = await account(email)
      if (whose !== 'free') await arrive(whose === 'squatted' ? 'password' : 'verified', other)
      const others = whose === 'free' ? null : await account(other)
      Object.assign(visitor.identity, { email: other, email_verified: is === 'verified' })
      expect(await visitor.enter()).toBe(id)
      expect(await account(email)).toEqual(before)
      expect(await db.user.count({ where: { email: other } })).toBe(others ? 1 : 0)
      if (others) expect(await account(other)).toEqual(others)
    },
  )

  test('with its own email, now verified: the account is verified and keeps what it has', async () => {
    const email = newEmail()
    const visitor = fromProvider({ email, email_verified: false })
    await visitor.enter()
    await settle(visitor)
    const before = await account(email)
    visitor.identity.email_verified = true
    await visitor.enter()
    expect(await account(email)).toEqual({ ...before, verified: true })
  })

  test('after it lost its account to the owner of the email, it gets a new one', async () => {
    const email = newEmail()
    const squatter = fromProvider({ email, email_verified: false })
    const lost = await squatter.enter()
    await arrive('verified', email)
    expect(await squatter.enter()).toBeNull()
    squatter.identity.email = newEmail()
    expect(await squatter.enter()).not.toBe(lost)
  })
})

test('a password that the squatter sets while the owner arrives does not take effect', async () => {
  const email = newEmail()
  const squatter = await arrive('unverified', email)
  // The call is already authenticated, and sets the first password of an account without one.
  const session = await sessionOf(app.services, squatter.headers)
  const owner = await arrive('verified', email)
  const caller = { address: 'test', userAgent: null }
  const late = app.services.accounts.changePassword(session, { newPassword: 'correct horse battery' }, caller)
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await isSignedIn(owner)).toBe(true)
  expect((await account(email)).hasPassword).toBe(false)
})

test('a device that the squatter registers while the owner arrives does not stay', async () => {
  const register = (session: SessionUser) =>
    app.services.push.devices.register(
      session,
      { app: 'default', platform: 'android', token: randomUUID(), environment: 'production' },
      'test',
    )
  for (let round = 0; round < 8; round++) {
    const squatter = await createUser(app.services)
    const session = await sessionOf(app.services, squatter.headers)
    const verified = { provider: 'oidc:test', providerAccountId: randomUUID(), name: null }
    const [owner, ...registered] = await Promise.allSettled([
      app.services.auth.resolveIdentity({ ...verified, email: squatter.email, emailVerified: true }, 'test'),
      ...Array.from({ length: 5 }, () => register(session)),
    ])
    expect(owner.status).toBe('fulfilled')
    for (const one of registered)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'UNAUTHORIZED' })
    expect((await account(squatter.email)).devices).toBe(0)
    await expect(register(session)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  }
})

test('verifying an email never takes over a user of the external issuer, whatever email the token has', async () => {
  const email = newEmail()
  const id = randomUUID()
  await app.db.query(
    `INSERT INTO users (id, email, display_email, external_issuer, external_id) VALUES ($1, $2, $3, $4, $5)`,
    [id, null, email, 'https://issuer.example', randomUUID()],
  )
  const { id: owner } = await account(email).catch(() => ({ id: null }))
  expect(owner).toBeNull()
  await arrive('verified', email)
  expect((await account(email)).id).not.toBe(id)
  // Not even if the user also has an unverified sign-in email.
  const second = newEmail()
  await app.db.query('UPDATE users SET email = $2 WHERE id = $1', [id, second])
  expect(await arrive('verified', second).then(isSignedIn, () => false)).toBe(false)
  const { rows } = await app.db.query('SELECT email_verified_at, external_issuer FROM users WHERE id = $1', [
    id,
  ])
  expect(rows).toEqual([{ email_verified_at: null, external_issuer: 'https://issuer.example' }])
})

test('two identities that verify a squatted email at once share one account', async () => {
  const email = newEmail()
  await arrive('password', email)
  const prove = () =>
    app.services.auth.resolveIdentity(
      {
        provider: 'oidc:test',
        providerAccountId: randomUUID(),
        email,
        emailVerified: true,
        name: 'Ada',
      },
      'test',
    )
  const found = await Promise.all([prove(), prove(), prove()])
  const { id } = await account(email)
  expect(found).toEqual([1, 2, 3].map(() => expect.objectContaining({ id, passwordHash: null })))
  expect(await account(email)).toMatchObject({ identities: 3, hasPassword: false, verified: true })
})
