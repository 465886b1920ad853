import { createHash } from 'node:crypto'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { userActor } from '../../audit.ts'
import { newId } from '../../ids.ts'
import { emptyAudience } from '../../push/counts.ts'
import type { DeviceRepo, Platform, Recipient } from '../../push/ports.ts'
import { createBatch } from '../postgres/batch.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import {
  deviceViewOf,
  movedDeviceViewOf,
  type RecipientRow,
  recipientOf,
  SUFFIX_LENGTH,
} from './device-row.ts'

/** Of the devices that others took over, the latest; a user has 100 devices at most. */
const MAX_MOVED_LISTED = 100

export function createDeviceRepo(db: Db): DeviceRepo {
  const findRecipients = createBatch(async (asked: { userId: string; category: string }[]) => {
    const rows = await db.sql.rows<{ n: number } & (RecipientRow | { id: null })>`
      SELECT a.n::int, d.id, d.platform, d.token, d.environment, d.locale, d.last_seen_at, d.web_p256dh, d.web_auth,
             d.web_service
      FROM unnest(${asked.map((a) => a.userId)}::uuid[], ${asked.map((a) => a.category)}::text[])
        WITH ORDINALITY AS a (user_id, category, n)
      JOIN users u ON u.id = a.user_id AND u.deleted_at IS NULL
      LEFT JOIN notification_preferences p ON p.user_id = u.id
      LEFT JOIN devices d ON d.user_id = u.id AND d.disabled_reason IS NULL AND u.disabled_at IS NULL
        AND coalesce(p.push_enabled, true) AND NOT a.category = ANY (coalesce(p.muted_categories, '{}'))`
    // A user without devices has one row without an id, an unknown one has none.
    const found = Map.groupBy(rows, ({ n }) => n)
    return asked.map((_, i): Recipient[] | null => {
      const own = found.get(i + 1)
      return own ? own.flatMap((row) => (row.id === null ? [] : [recipientOf(row)])) : null
    })
  })

  return {
    async register({ id: userId, epoch }, device, { maxPerUser, address, onNew }) {
      const { platform, token, environment, locale, webPush } = device
      const hash = tokenHash(token)
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        // Serialized for each user: two registrations at once would each leave room for one.
        // And for each token: of two users that register it at once, the second takes it from the first.
        await sql.run`
          SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0)),
                 pg_advisory_xact_lock(hashtextextended('device-token:' || ${hash}, 0))`
        // The id stays when a token moves to another user: a running broadcast must not miss the device.
        const rows = await sql.rows<{ id: string; is_new: boolean }>`
          WITH before AS (
            SELECT * FROM devices WHERE platform = ${platform}::platform AND token_hash = ${hash}),
          registered AS (
          INSERT INTO devices (id, user_id, platform, token, token_hash, name, environment, locale, web_p256dh, web_auth,
            web_service)
          SELECT ${newId()}::uuid, u.id, ${platform}::platform, ${token}, ${hash}, ${device.name ?? null},
                 ${environment}::apns_environment, ${locale ?? null}, ${webPush?.p256dh ?? null},
                 ${webPush?.auth ?? null}, ${webPush?.service ?? null}
          FROM users u
          WHERE u.id = ${userId}::uuid AND u.session_epoch = ${epoch}::int AND u.deleted_at IS NULL AND u.disabled_at IS NULL
          ON CONFLICT (platform, token_hash) DO UPDATE SET
            user_id = excluded.user_id,
            -- A refresh without a name keeps the user's own name for it, not one that another user gave it.
            name = coalesce(excluded.name, CASE WHEN devices.user_id = excluded.user_id THEN devices.name END),
            locale = coalesce(excluded.locale, CASE WHEN devices.user_id = excluded.user_id THEN devices.locale END),
            environment = excluded.environment, web_p256dh = excluded.web_p256dh, web_auth = excluded.web_auth,
            web_service = excluded.web_service,
            disabled_reason = NULL, disabled_by = NULL, disabled_at = NULL,
            created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE now() END,
            last_seen_at = clock_timestamp()
          RETURNING id),
          moved AS (
            INSERT INTO moved_devices (user_id, device_id, platform, token_hash, token_suffix, name, environment,
              created_at, last_seen_at)
            SELECT b.user_id, b.id, b.platform, b.token_hash, right(b.token, ${SUFFIX_LENGTH}::int), b.name,
                   b.environment, b.created_at, b.last_seen_at
            FROM before b, registered WHERE b.user_id <> ${userId}::uuid
            ON CONFLICT (user_id, device_id) DO UPDATE SET
              name = excluded.name, last_seen_at = excluded.last_seen_at, moved_at = now()
            RETURNING user_id, device_id),
          back AS (
            DELETE FROM moved_devices
            WHERE user_id = ${userId}::uuid AND platform = ${platform}::platform AND token_hash = ${hash}),
          audited AS (
            INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
            SELECT ${newId()}::uuid, 'device.moved', ${userActor(userId)}, m.user_id, m.device_id::text, ${address},
                   ${JSON.stringify({ to: userId })}::jsonb
            FROM moved m)
          SELECT id, NOT EXISTS (SELECT 1 FROM before) AS is_new FROM registered`
        const row = rows[0]
        if (!row) return null
        if (row.is_new) await onNew()
        // SKIP LOCKED: waiting for a row that another registration is moving could deadlock.
        await sql.run`
          DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = ${userId}::uuid AND id <> ${row.id}::uuid
            ORDER BY last_seen_at DESC, id DESC OFFSET ${maxPerUser - 1} FOR UPDATE SKIP LOCKED)`
        return { id: row.id }
      })
    },

    async unregister(userId, token) {
      // iOS tokens are stored in lower case; Android tokens and endpoints are case-sensitive.
      const OR = [
        { platform: 'android', tokenHash: tokenHash(token) },
        { platform: 'web', tokenHash: tokenHash(token) },
        { platform: 'ios', tokenHash: tokenHash(token.toLowerCase()) },
      ] satisfies Prisma.DeviceWhereInput[]
      await db.$transaction([
        db.device.deleteMany({ where: { userId, OR } }),
        db.movedDevice.deleteMany({ where: { userId, OR } }),
      ])
    },

    async remove(userId, id) {
      await db.$transaction([
        db.device.deleteMany({ where: { id, userId } }),
        db.movedDevice.deleteMany({ where: { deviceId: id, userId } }),
      ])
    },

    async list(userId) {
      // One after the other: a call holds one connection at a time.
      const rows = await db.device.findMany({
        where: { userId },
        orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
        omit: {
          locale: true,
          userId: true,
          disabledBy: true,
          disabledAt: true,
          tokenHash: true,
          webP256dh: true,
          webAuth: true,
          webService: true,
        },
      })
      const moved = await db.movedDevice.findMany({
        where: { userId },
        orderBy: { movedAt: 'desc' },
        take: MAX_MOVED_LISTED,
        omit: { userId: true, tokenHash: true, movedAt: true },
      })
      return [...rows.map(deviceViewOf), ...moved.map(movedDeviceViewOf)].sort(
        (a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime(),
      )
    },

    recipientsOf: (userId, category) => findRecipients({ userId, category }),

    async hasAny(platform) {
      const [row] = await db.sql.rows<{ any: boolean }>`
        SELECT EXISTS (SELECT 1 FROM devices WHERE platform = ${platform}::platform) AS any`
      return row!.any
    },

    async countOf(userIds, category) {
      const rows = await db.sql.rows<{ platform: Platform; count: bigint }>`
        SELECT d.platform, count(*) FROM devices d
        LEFT JOIN notification_preferences p ON p.user_id = d.user_id
        WHERE d.user_id = ANY (${userIds}::uuid[]) AND d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
          AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
          AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND u.disabled_at IS NOT NULL)
        GROUP BY d.platform`
      return countsByPlatform(rows)
    },

    async countTopic(topic, category) {
      const rows = await db.sql.rows<{ platform: Platform; count: bigint }>`
        SELECT d.platform, count(*) FROM topic_subscriptions s
        JOIN devices d ON d.user_id = s.user_id
        LEFT JOIN notification_preferences p ON p.user_id = d.user_id
        WHERE s.topic = ${topic} AND d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
          AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
          AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND u.disabled_at IS NOT NULL)
        GROUP BY d.platform`
      return countsByPlatform(rows)
    },

    async unknownUsers(userIds) {
      const rows = await db.sql.rows<{ id: string }>`
        SELECT g.id FROM unnest(${userIds}::uuid[]) AS g (id)
        WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = g.id AND u.deleted_at IS NULL)`
      return rows.map((row) => row.id)
    },

    async countAll(category) {
      const rows = await db.sql.rows<{ platform: Platform; count: bigint }>`
        SELECT d.platform, count(*) FROM devices d
        LEFT JOIN notification_preferences p ON p.user_id = d.user_id
        WHERE d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
          AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
          AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND u.disabled_at IS NOT NULL)
        GROUP BY d.platform`
      return countsByPlatform(rows)
    },
  }
}

function countsByPlatform(rows: { platform: Platform; count: bigint }[]): Record<Platform, number> {
  const count = emptyAudience()
  for (const row of rows) count[row.platform] = Number(row.count)
  return count
}

function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
