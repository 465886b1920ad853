import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { v7 } from 'uuid'

/** Adds an iOS and an Android device for each user. */
export async function addDevices(db: pg.Pool, userIds: string[]): Promise<void> {
  for (const platform of ['ios', 'android'])
    for (const userId of userIds) {
      const token = randomBytes(32).toString('hex')
      const hash = createHash('sha256').update(token).digest('hex')
      await db.query(
        `INSERT INTO devices (id, user_id, platform, token, token_hash) VALUES ($1, $2, $3::platform, $4, $5)`,
        [v7(), userId, platform, token, hash],
      )
    }
}

/** Creates a push token for the user and returns it. */
export async function createPushToken(db: pg.Pool, userId: string): Promise<string> {
  const raw = `ph_${randomBytes(32).toString('base64url')}`
  await db.query(
    `INSERT INTO push_tokens (id, hash, name, user_id, expires_at) VALUES ($1, $2, 'bench', $3, now() + interval '1 day')`,
    [v7(), createHash('sha256').update(raw).digest('hex'), userId],
  )
  return raw
}
