import { createHash } from 'node:crypto'
import { newId } from '../ids.ts'
import type { DeviceRepo, DeviceView, Platform } from '../push/ports.ts'
import type { Db } from './postgres/db.ts'
import { sqlIn } from './postgres/sql.ts'
import { type RecipientRow, recipientOf } from './push-recipients.ts'

/** How much of a token is shown: enough to tell a user's devices apart. */
const SUFFIX = 8

export function createDeviceRepo(db: Db): DeviceRepo {
  return {
    async register(userId, device, maxPerUser) {
      const { platform, token, environment } = device
      const hash = tokenHash(token)
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        // One at a time for a user, or two at once would each leave room for one.
        await sql.run`SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0))`
        // The id stays when a token moves to another user: a broadcast that runs must not miss the device.
        const rows = await sql.rows<{ id: string }>`
          INSERT INTO devices (id, user_id, platform, token, token_hash, name, environment)
          SELECT ${newId()}::uuid, u.id, ${platform}::platform, ${token}, ${hash}, ${device.name ?? null},
                 ${environment}::apns_environment
          FROM users u WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL
          ON CONFLICT (platform, token_hash) DO UPDATE SET
            user_id = excluded.user_id,
            -- A refresh without a name keeps the one it had, but not the one another user gave it.
            name = coalesce(excluded.name, CASE WHEN devices.user_id = excluded.user_id THEN devices.name END),
            environment = excluded.environment,
            disabled_reason = NULL, disabled_by = NULL,
            created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE now() END,
            last_seen_at = clock_timestamp()
          RETURNING id`
        const row = rows[0]
        if (!row) return null
        // SKIP LOCKED: a row that another registration is moving just now must not make a deadlock.
        await sql.run`
          DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = ${userId}::uuid AND id <> ${row.id}::uuid
            ORDER BY last_seen_at DESC, id DESC OFFSET ${maxPerUser - 1} FOR UPDATE SKIP LOCKED)`
        return row
      })
    },

    async unregister(userId, token) {
      // iOS tokens are kept in lower case; an Android one is never equal to a lower-cased other.
      await db.device.deleteMany({
        where: {
          userId,
          OR: [
            { platform: 'android', tokenHash: tokenHash(token) },
            { platform: 'ios', tokenHash: tokenHash(token.toLowerCase()) },
          ],
        },
      })
    },

    async remove(userId, id) {
      await db.device.deleteMany({ where: { id, userId } })
    },

    async list(userId): Promise<DeviceView[]> {
      const rows = await db.device.findMany({
        where: { userId },
        orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
        omit: { userId: true, disabledBy: true, tokenHash: true },
      })
      return rows.map(({ token, ...device }) => ({ ...device, tokenSuffix: token.slice(-SUFFIX) }))
    },

    async recipientsOf(userId, category) {
      const rows = await db.sql.rows<RecipientRow | { id: null }>`
        SELECT d.id, d.platform, d.token, d.environment, d.last_seen_at
        FROM users u
        LEFT JOIN notification_preferences p ON p.user_id = u.id
        LEFT JOIN devices d ON d.user_id = u.id AND d.disabled_reason IS NULL
          AND coalesce(p.push_enabled, true) AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
        WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL`
      if (rows.length === 0) return null
      return rows.flatMap((row) => (row.id === null ? [] : [recipientOf(row)]))
    },

    async countAll(category) {
      const rows = await db.sql.rows<{ platform: Platform; count: bigint }>`
        SELECT d.platform, count(*) FROM devices d
        LEFT JOIN notification_preferences p ON p.user_id = d.user_id
        WHERE d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
          AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
        GROUP BY d.platform`
      const count = { ios: 0, android: 0 }
      for (const row of rows) count[row.platform] = Number(row.count)
      return count
    },
  }
}

function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
