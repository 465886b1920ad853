// Users straight in the database, each with a session.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { v7 } from 'uuid'
import { hashPassword } from '../../src/server/auth/password.ts'
import { issueSessionToken } from '../../src/server/auth/session-token.ts'

export type TestUser = {
  id: string
  email: string
  /** A session token of the user. */
  token: string
  /** Headers of a call in the user's name. */
  headers: { authorization: string }
}

/** Hashing takes 0.2 s of a core, and most tests of a file use the same password. */
const hashes = new Map<string, Promise<string>>()

function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, known)
  return known
}

/**
 * A user straight in the database, with a session. Without `password` the user can only use that session.
 * `target` is a container or anything else with its configuration.
 */
export async function createUser(
  target: { config: { databaseUrl: string; sessionSecret: string } },
  options: { email?: string; name?: string; password?: string; quotaBytes?: number } = {},
): Promise<TestUser> {
  const id = v7()
  const email = options.email ?? `${randomUUID()}@example.com`
  const hash = options.password === undefined ? null : await hashOf(options.password)
  const client = new pg.Client({ connectionString: target.config.databaseUrl })
  await client.connect()
  try {
    await client.query(
      'INSERT INTO users (id, email, name, password_hash, quota_bytes) VALUES ($1, $2, $3, $4, $5)',
      [id, email, options.name ?? null, hash, options.quotaBytes ?? null],
    )
  } finally {
    await client.end()
  }
  const { token } = await issueSessionToken(target.config.sessionSecret, {
    userId: id,
    epoch: 0,
    signedInAt: new Date(),
  })
  return { id, email, token, headers: { authorization: `Bearer ${token}` } }
}
