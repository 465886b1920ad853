import type { Audience, Platform } from '../../push/ports.ts'
import type { Sql } from '../postgres/sql.ts'

export type Planned = { id: string; category: string; audience: Audience }

/** Plans a broadcast for who is there now, inside the transaction that begins it. Returns false if there is nobody. */
export async function planAudience(sql: Sql, message: Planned, chunkSize: number): Promise<boolean> {
  if (message.audience.kind === 'all') return (await planChunks(sql, message.id, chunkSize)) > 0
  await addRecipients(sql, message)
  return (await planRecipientChunks(sql, message, chunkSize)) > 0
}

/** Whose inbox it is in, other than everybody's. */
async function addRecipients(sql: Sql, { id, audience }: Planned): Promise<void> {
  if (audience.kind === 'topic') {
    await sql.run`
      INSERT INTO push_recipients (user_id, message_id)
      SELECT s.user_id, ${id}::uuid FROM topic_subscriptions s
      JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL WHERE s.topic = ${audience.topic}`
    return
  }
  const userIds =
    audience.kind === 'users' ? audience.userIds : audience.kind === 'user' ? [audience.userId] : []
  await sql.run`
    INSERT INTO push_recipients (user_id, message_id)
    SELECT id, ${id}::uuid FROM users WHERE id = ANY (${userIds}::uuid[]) AND deleted_at IS NULL`
}

/**
 * For each platform ranges of `chunkSize` device ids over all its devices of this snapshot. Disabled devices and
 * opt-outs are left out only when a chunk is read. Hops from range to range over the index on platform and id.
 * Returns the number of chunks.
 */
async function planChunks(sql: Sql, messageId: string, chunkSize: number): Promise<number> {
  return sql.run`
    WITH RECURSIVE final AS (
      SELECT p.platform, d.id FROM unnest(enum_range(NULL::platform)) AS p (platform), LATERAL (
        SELECT id FROM devices WHERE platform = p.platform ORDER BY id DESC LIMIT 1) d),
    ranges (platform, after_id, last_id) AS (
      SELECT f.platform, NULL::uuid, coalesce((
        SELECT id FROM devices WHERE platform = f.platform ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM final f
      UNION ALL
      SELECT f.platform, r.last_id, coalesce((
        SELECT id FROM devices WHERE platform = f.platform AND id > r.last_id
        ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM ranges r JOIN final f ON f.platform = r.platform WHERE r.last_id < f.id)
    INSERT INTO push_message_chunks (message_id, upstream, after_id, last_id)
    SELECT ${messageId}::uuid, platform::text, after_id, last_id FROM ranges`
}

/**
 * Chunks of the devices that the message's recipients have now, opt-outs applied, which are the audience. Returns the
 * number of devices.
 */
async function planRecipientChunks(sql: Sql, { id, category }: Planned, chunkSize: number): Promise<number> {
  const counted = await sql.rows<{ platform: Platform; count: number }>`
    WITH audience AS (
      SELECT d.id, d.platform,
        CASE WHEN d.platform = 'ios' AND d.environment = 'sandbox' THEN 'ios-sandbox'
             WHEN d.web_service <> 'google' THEN 'web-' || d.web_service ELSE d.platform::text END AS upstream
      FROM push_recipients r
      JOIN devices d ON d.user_id = r.user_id AND d.disabled_reason IS NULL
      LEFT JOIN notification_preferences p ON p.user_id = r.user_id
      WHERE r.message_id = ${id}::uuid AND coalesce(p.push_enabled, true)
        AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND u.disabled_at IS NOT NULL)),
    numbered AS (
      SELECT *, (row_number() OVER (PARTITION BY upstream ORDER BY id) - 1) / ${chunkSize}::int AS n FROM audience),
    planned AS (
      INSERT INTO push_message_chunks (message_id, upstream, platform, device_ids)
      SELECT ${id}::uuid, upstream, platform, array_agg(id) FROM numbered GROUP BY upstream, platform, n)
    SELECT platform, count(*)::int AS count FROM audience GROUP BY platform`
  const of = (platform: Platform) => counted.find((c) => c.platform === platform)?.count ?? 0
  await sql.run`
    UPDATE push_messages SET audience_ios = ${of('ios')}::int, audience_android = ${of('android')}::int,
      audience_web = ${of('web')}::int
    WHERE id = ${id}::uuid`
  return of('ios') + of('android') + of('web')
}
