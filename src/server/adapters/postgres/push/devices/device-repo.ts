import type { Prisma } from '../../../../../generated/prisma/client.ts'
import type { Recipient } from '../../../../domain/push/delivery/gateway.ts'
import type { DeviceRepo } from '../../../../domain/push/devices/device-repo.ts'
import { SIGNED_IN_ELSEWHERE } from '../../../../domain/push/devices/devices.ts'
import { emptyAudience } from '../../../../domain/push/messages/counts.ts'
import { userActor } from '../../../../kernel/audit.ts'
import { newId } from '../../../../kernel/ids.ts'
import { hashToken } from '../../../../kernel/tokens.ts'
import { createBatch } from '../../batch.ts'
import type { Db } from '../../db.ts'
import type { Row } from '../../sql.ts'

/** Devices listed that other users took over, newest first. A user has at most 100 devices. */
const MAX_MOVED_LISTED = 100

export function createDeviceRepo(db: Db): DeviceRepo {
  const findRecipients = createBatch(async (asked: { userId: string; category: string }[]) => {
    const rows = await db.sql.rows<'findRecipients'>`
      SELECT a.n::int, d.id AS "deviceId", d.app, d.platform, d.token, d.environment, d.locale, d.last_seen_at::text AS "lastSeenAt",
        d.web_p256dh AS p256dh, d.web_auth AS auth, d.web_service AS service
      FROM unnest(${asked.map((a) => a.userId)}::uuid[], ${asked.map((a) => a.category)}::text[])
        WITH ORDINALITY AS a (user_id, category, n)
      JOIN users u ON u.id = a.user_id AND u.deleted_at IS NULL
      LEFT JOIN notification_preferences p ON p.user_id = u.id
      LEFT JOIN devices d ON d.user_id = u.id AND d.disabled_reason IS NULL AND u.disabled_at IS NULL
        AND coalesce(p.push_enabled, true) AND NOT a.category = ANY (coalesce(p.muted_categories, '{}'))`
    // A user without devices has one row without a device. An unknown user has none.
    const found = Map.groupBy(rows, ({ n }) => n)
    return asked.map((_, i): Recipient[] | null => {
      const own = found.get(i + 1)?.map(({ n: _, ...row }) => row)
      return own ? own.filter(isDevice).map(recipientOf) : null
    })
  })

  return {
    async register({ id: userId, epoch }, device, { maxPerUser, address, onNew }) {
      const { app, platform, token, environment, locale, webPush } = device
      const hash = hashToken(token)
      let isCounted = false
      return db.repeatableSql(async (sql) => {
        // Serialized by user, because two simultaneous registrations would each leave room for one. Serialized by token,
        // so that the second of two users who register it takes it from the first.
        await sql.run<'lockDeviceRegistration'>`
          SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0)),
                 pg_advisory_xact_lock(hashtextextended('device-token:' || ${hash}, 0))`
        // The ID stays when a token moves to another user, so that a running broadcast does not miss the device.
        const [row] = await sql.rows<'registerDevice'>`
          WITH before AS (
            SELECT * FROM devices WHERE platform = ${platform}::platform AND token_hash = ${hash}),
          registered AS (
          INSERT INTO devices (id, user_id, app, platform, token, token_hash, name, environment, locale, web_p256dh,
            web_auth, web_service)
          SELECT ${newId()}::uuid, u.id, ${app}, ${platform}::platform, ${token}, ${hash}, ${device.name ?? null},
                 ${environment}::apns_environment, ${locale ?? null}, ${webPush?.p256dh ?? null},
                 ${webPush?.auth ?? null}, ${webPush?.service ?? null}
          FROM users u
          WHERE u.id = ${userId}::uuid AND u.session_epoch = ${epoch}::int AND u.deleted_at IS NULL AND u.disabled_at IS NULL
          ON CONFLICT (platform, token_hash) DO UPDATE SET
            user_id = excluded.user_id, app = excluded.app,
            -- A refresh without a name keeps the name that this user gave the device, not another user's.
            name = coalesce(excluded.name, CASE WHEN devices.user_id = excluded.user_id THEN devices.name END),
            locale = coalesce(excluded.locale, CASE WHEN devices.user_id = excluded.user_id THEN devices.locale END),
            environment = excluded.environment, web_p256dh = excluded.web_p256dh, web_auth = excluded.web_auth,
            web_service = excluded.web_service,
            disabled_reason = NULL, disabled_by = NULL, disabled_at = NULL,
            created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE now() END,
            last_seen_at = clock_timestamp()
          RETURNING id),
          moved AS (
            INSERT INTO moved_devices (user_id, device_id, app, platform, token_hash, token_suffix, name, environment,
              created_at, last_seen_at)
            SELECT b.user_id, b.id, b.app, b.platform, b.token_hash, right(b.token, 8), b.name,
                   b.environment, b.created_at, b.last_seen_at
            FROM before b, registered WHERE b.user_id <> ${userId}::uuid
            ON CONFLICT (user_id, device_id) DO UPDATE SET
              app = excluded.app, name = excluded.name, last_seen_at = excluded.last_seen_at, moved_at = now()
            RETURNING user_id, device_id),
          back AS (
            DELETE FROM moved_devices
            WHERE user_id = ${userId}::uuid AND platform = ${platform}::platform AND token_hash = ${hash}),
          audited AS (
            INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
            SELECT ${newId()}::uuid, 'device.moved', ${userActor(userId)}, m.user_id, m.device_id::text, ${address},
                   ${JSON.stringify({ to: userId })}::jsonb
            FROM moved m)
          SELECT id, NOT EXISTS (SELECT 1 FROM before WHERE user_id = ${userId}::uuid) AS "isNew" FROM registered`
        if (!row) return null
        if (row.isNew && !isCounted) await onNew()
        isCounted ||= row.isNew
        // SKIP LOCKED, because waiting for a row that another registration is moving could deadlock.
        await sql.run<'deleteOldestDevices'>`
          DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = ${userId}::uuid AND id <> ${row.id}::uuid
            ORDER BY last_seen_at DESC, id DESC OFFSET ${maxPerUser - 1} FOR UPDATE SKIP LOCKED)`
        return { id: row.id }
      })
    },

    async unregister(userId, token) {
      // iOS tokens are stored in lower case. Android tokens and web endpoints are case-sensitive.
      const OR = [
        { platform: 'android', tokenHash: hashToken(token) },
        { platform: 'web', tokenHash: hashToken(token) },
        { platform: 'ios', tokenHash: hashToken(token.toLowerCase()) },
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

    // Eight characters of a token are enough to distinguish a user's devices.
    list: (userId) => db.sql.rows<'listDevices'>`
      SELECT id, platform, app, name, environment, right(token, 8) AS "tokenSuffix",
        disabled_reason AS "disabledReason", created_at AS "createdAt", last_seen_at AS "lastSeenAt"
      FROM devices WHERE user_id = ${userId}::uuid
      UNION ALL
      (SELECT device_id, platform, app, name, environment, token_suffix, ${SIGNED_IN_ELSEWHERE}, created_at, last_seen_at
      FROM moved_devices WHERE user_id = ${userId}::uuid ORDER BY moved_at DESC LIMIT ${MAX_MOVED_LISTED}::int)
      ORDER BY "lastSeenAt" DESC, id DESC`,

    recipientsOf: (userId, category) => findRecipients({ userId, category }),

    async hasAny(platform) {
      const [row] = await db.sql.rows<'hasAnyDevice'>`
        SELECT EXISTS (SELECT 1 FROM devices WHERE platform = ${platform}::platform) AS any`
      return row!.any
    },

    async count(audience, { category, apps = null }) {
      const userIds =
        audience.kind === 'user' ? [audience.userId] : audience.kind === 'users' ? audience.userIds : null
      const topic = audience.kind === 'topic' ? audience.topic : null
      const rows = await db.sql.rows<'countDevices'>`
        SELECT d.platform, count(*)::int AS count FROM devices d
        LEFT JOIN notification_preferences p ON p.user_id = d.user_id
        WHERE (${audience.kind} = 'all' OR d.user_id = ANY (
            CASE WHEN ${topic}::text IS NULL THEN ${userIds}::uuid[]
            ELSE ARRAY(SELECT user_id FROM topic_subscriptions WHERE topic = ${topic}::text) END))
          AND (${apps}::text[] IS NULL OR d.app = ANY (${apps}::text[]))
          AND d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
          AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
          AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND u.disabled_at IS NOT NULL)
        GROUP BY d.platform`
      return {
        ...emptyAudience(),
        ...Object.fromEntries(rows.map(({ platform, count }) => [platform, count])),
      }
    },

    async unknownUsers(userIds) {
      const rows = await db.sql.rows<'unknownUsers'>`
        SELECT g.id FROM unnest(${userIds}::uuid[]) AS g (id)
        WHERE g.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = g.id AND u.deleted_at IS NULL)`
      return rows.map((row) => row.id)
    },
  }
}

/** Returns false for the row of a user without devices. */
const isDevice = (row: Omit<Row<'findRecipients'>, 'n'>): row is Row<'readRange'> => row.deviceId !== null

/** Converts a row of a statement that reads recipients. */
export function recipientOf(row: Row<'readRange'>): Recipient {
  const { p256dh, auth, service, ...recipient } = row
  return p256dh !== null && auth !== null && service !== null
    ? { ...recipient, webPush: { p256dh, auth, service } }
    : recipient
}
