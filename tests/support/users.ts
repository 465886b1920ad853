// Users inserted into the database, each with a session.

import { randomUUID } from 'node:crypto'
import { createPasswords } from '../../src/server/domain/accounts/password.ts'
import type { Principal, SessionUser } from '../../src/server/domain/accounts/principal.ts'
import { issueSessionToken } from '../../src/server/domain/accounts/session-token.ts'
import { sessionEnd } from '../../src/server/domain/accounts/sessions.ts'
import { newId } from '../../src/server/kernel/ids.ts'
import { testPool } from './test-pool.ts'

type Authenticator = { authenticate(request: Request): Promise<Principal | null> }

/** Returns the session of a call with these headers. @throws Error without one */
export async function sessionOf(
  services: Authenticator,
  headers: Record<string, string>,
): Promise<SessionUser> {
  const principal = await services.authenticate(new Request('http://app.test', { headers }))
  if (principal?.via !== 'session') throw new Error('not signed in')
  return principal
}

type Target = { config: { databaseUrl: string; sessionSecret: string } }

export type TestUser = {
  id: string
  email: string
  /** A session token of the user. */
  token: string
  /** Headers that authenticate the user. */
  headers: { authorization: string }
}

/** The production cost takes 0.2 s of CPU for each hash. */
export const cheapPasswords = createPasswords({ logN: 1, r: 8, p: 1 })

/**
 * Inserts a user with a session. Without `password`, the user can only use that session. `target` is a set of services,
 * or anything else with their configuration.
 */
export async function createUser(
  target: Target,
  options: { email?: string; name?: string; password?: string; quotaBytes?: number } = {},
): Promise<TestUser> {
  const id = newId()
  const email = options.email ?? `${randomUUID()}@example.com`
  const hash = options.password === undefined ? null : await cheapPasswords.hash(options.password)
  await testPool(target.config.databaseUrl).query(
    'INSERT INTO users (id, email, name, password_hash, quota_bytes) VALUES ($1, $2, $3, $4, $5)',
    [id, email, options.name ?? null, hash, options.quotaBytes ?? null],
  )
  const token = await createSession(target, id)
  return { id, email, token, headers: { authorization: `Bearer ${token}` } }
}

/** Returns the token of another session of this user, who signed in for it at this time. */
export async function createSession(
  target: Target,
  userId: string,
  signedInAt = new Date(),
): Promise<string> {
  const id = newId()
  await testPool(target.config.databaseUrl).query(
    `INSERT INTO sessions (id, user_id, epoch, created_at, last_seen_at, expires_at)
     SELECT $1, id, session_epoch, $3, $3, $4 FROM users WHERE id = $2`,
    [id, userId, signedInAt, sessionEnd(signedInAt, signedInAt)],
  )
  return issueSessionToken(target.config.sessionSecret, id)
}
