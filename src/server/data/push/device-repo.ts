import { createHash } from 'node:crypto'
import { newId } from '../../ids.ts'
import type { DeviceRepo, Platform } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { deviceViewOf, type RecipientRow, recipientOf } from './device-row.ts'

export function createDeviceRepo(db: Db): DeviceRepo {
  return {
    async register(userId, device, maxPerUser) {
      const { platform, token, environment } = device
      const hash = tokenHash(token)
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        // Serialized for each user: two registrations at once would each leave room for one.
        await sql.run`SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0))`
        // The id stays when a token moves to another user: a running broadcast must not miss the device.
        const rows = await sql.rows<{ id: string }>`
          INSERT INTO devices (id, user_id, platform, token, token_hash, name, environment)
          SELECT ${newId()}::uuid, u.id, ${platform}::platform, ${token}, ${hash}, ${device.name ?? null},
                 ${environment}::apns_environment
          FROM users u WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL
          ON CONFLICT (platform, token_hash) DO UPDATE SET
            user_id = excluded.user_id,
            -- A refresh without a name keeps the user's own name for it, not one that another user gave it.
            name = coalesce(excluded.name, CASE WHEN devices.user_id = excluded.user_id THEN devices.name END),
            environment = excluded.environment,
            disabled_reason = NULL, disabled_by = NULL,
            created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE now() END,
            last_seen_at = clock_timestamp()
          RETURNING id`
        const row = rows[0]
        if (!row) return null
        // SKIP LOCKED: waiting for a row that another registration is moving could deadlock.
        await sql.run`
          DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = ${userId}::uuid AND id <> ${row.id}::uuid
            ORDER BY last_seen_at DESC, id DESC OFFSET ${maxPerUser - 1} FOR UPDATE SKIP LOCKED)`
        return row
      })
    },

    async unregister(userId, token) {
      // iOS tokens are stored in lower case; Android tokens are case-sensitive.
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

    async list(userId) {
      const rows = await db.device.findMany({
        where: { userId },
        orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
        omit: { userId: true, disabledBy: true, tokenHash: true },
      })
      return rows.map(deviceViewOf)
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
