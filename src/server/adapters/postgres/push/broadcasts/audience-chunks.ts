import type { Audience } from '../../../../domain/push/broadcasts/broadcast.ts'
import type { Platform } from '../../../../domain/push/delivery/gateway.ts'
import { emptyAudience } from '../../../../domain/push/messages/counts.ts'
import type { Content } from '../../../../domain/push/messages/notification.ts'
import { FIRST_ID } from '../../../../kernel/ids.ts'
import type { Sql } from '../../sql.ts'

export type Planned = { id: string; content: Pick<Content, 'category' | 'apps'>; audience: Audience }

/** A statement for this many users takes about 0.2 s. The limit is 4.5 s. */
export const USERS_PER_STATEMENT = 5_000

/** Devices by platform. Those of a broadcast to everyone are counted when they are sent to. `any`: true if there are devices. */
export type Plan = Record<Platform, number> & { any: boolean }

/**
 * Plans a broadcast for the current audience, in the transaction `sql` that begins it. Writes recipients with
 * `autocommit`, outside that transaction. Each row locks its user against deletion and changes of the email until its
 * transaction ends, and planning a topic with a million subscribers takes 40 s.
 */
export async function planAudience(
  sql: Sql,
  autocommit: Sql,
  message: Planned,
  chunkSize: number,
  signal: AbortSignal,
): Promise<Plan> {
  const { id, audience } = message
  const sum = emptyAudience()
  if (audience.kind === 'all') return { ...sum, any: (await planChunks(sql, message, chunkSize)) > 0 }
  // An interrupted attempt has left recipients, some of whom may have unsubscribed since.
  await removeRecipients(autocommit, id)
  for await (const userIds of usersOf(sql, audience)) {
    signal.throwIfAborted()
    await addRecipients(autocommit, id, userIds)
    for (const { platform, count } of await planUsers(sql, message, userIds, chunkSize))
      sum[platform] += count
  }
  return { ...sum, any: sum.ios + sum.android + sum.web > 0 }
}

function usersOf(
  sql: Sql,
  audience: Exclude<Audience, { kind: 'all' }>,
): Iterable<readonly string[]> | AsyncIterable<readonly string[]> {
  if (audience.kind === 'topic') return subscribersOf(sql, audience.topic)
  return [audience.kind === 'user' ? [audience.userId] : audience.userIds]
}

/** Yields the topic's subscribers in pages. */
async function* subscribersOf(sql: Sql, topic: string): AsyncGenerator<string[]> {
  let after = FIRST_ID
  while (true) {
    const page = await sql.rows<'subscribersOf'>`
      SELECT user_id FROM topic_subscriptions WHERE topic = ${topic} AND user_id > ${after}::uuid
      ORDER BY user_id LIMIT ${USERS_PER_STATEMENT}::int`
    yield page.map((row) => row.user_id)
    if (page.length < USERS_PER_STATEMENT) return
    after = page.at(-1)!.user_id
  }
}

/**
 * Plans ranges of `chunkSize` device IDs over all devices of each platform and app. Jumps through the index on platform,
 * app and ID. The index also has apps that are no longer in PUSH_APPS_FILE: their devices count as failed.
 * Disabled devices and opt-outs are excluded when a chunk is read. Returns the number of chunks.
 */
async function planChunks(sql: Sql, { id, content }: Planned, chunkSize: number): Promise<number> {
  const apps = content.apps ?? null
  return sql.run<'planChunks'>`
    WITH RECURSIVE apps (platform, app) AS (
      SELECT p.platform, (SELECT min(app) FROM devices WHERE platform = p.platform)
      FROM unnest(enum_range(NULL::platform)) AS p (platform)
      UNION ALL
      SELECT a.platform, (SELECT min(app) FROM devices WHERE platform = a.platform AND app > a.app)
      FROM apps a WHERE a.app IS NOT NULL),
    final AS (
      SELECT a.platform, a.app, d.id FROM apps a, LATERAL (
        SELECT id FROM devices WHERE platform = a.platform AND app = a.app ORDER BY id DESC LIMIT 1) d
      WHERE ${apps}::text[] IS NULL OR a.app = ANY (${apps}::text[])),
    ranges (platform, app, after_id, last_id) AS (
      SELECT f.platform, f.app, NULL::uuid, coalesce((
        SELECT id FROM devices WHERE platform = f.platform AND app = f.app
        ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM final f
      UNION ALL
      SELECT f.platform, f.app, r.last_id, coalesce((
        SELECT id FROM devices WHERE platform = f.platform AND app = f.app AND id > r.last_id
        ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM ranges r JOIN final f ON f.platform = r.platform AND f.app = r.app WHERE r.last_id < f.id)
    INSERT INTO push_message_chunks (message_id, upstream, after_id, last_id)
    SELECT ${id}::uuid, CASE WHEN app = 'default' THEN '' ELSE app || '/' END || platform::text, after_id, last_id
    FROM ranges`
}

/** Removes the recipients that an attempt to plan the message has left. */
export async function removeRecipients(sql: Sql, id: string): Promise<void> {
  const removeSome = () => sql.run<'removeRecipients'>`
    DELETE FROM push_recipients WHERE message_id = ${id}::uuid AND user_id = ANY (ARRAY(
      SELECT user_id FROM push_recipients WHERE message_id = ${id}::uuid LIMIT ${USERS_PER_STATEMENT}::int))`
  // Not until a batch is smaller than the limit: deletions of users remove recipients too.
  while ((await removeSome()) > 0);
}

/** Adds the message to the inboxes of the existing users, which show it once it has begun. */
const addRecipients = (sql: Sql, id: string, userIds: readonly string[]) => sql.write<'addRecipients'>`
  INSERT INTO push_recipients (user_id, message_id)
  SELECT id, ${id}::uuid FROM users WHERE id = ANY (${userIds}::uuid[]) AND deleted_at IS NULL
  ON CONFLICT DO NOTHING`

/**
 * Plans chunks of the recipients' current devices, without opt-outs. These devices are the audience. Returns their
 * number by platform.
 */
async function planUsers(sql: Sql, { id, content }: Planned, userIds: readonly string[], chunkSize: number) {
  const { category } = content
  const apps = content.apps ?? null
  return sql.rows<'planUsers'>`
    WITH audience AS (
      SELECT d.id, d.platform, CASE WHEN d.app = 'default' THEN '' ELSE d.app || '/' END
        || CASE WHEN d.platform = 'ios' AND d.environment = 'sandbox' THEN 'ios-sandbox'
             WHEN d.web_service <> 'google' THEN 'web-' || d.web_service ELSE d.platform::text END AS upstream
      FROM devices d JOIN push_recipients r ON r.user_id = d.user_id AND r.message_id = ${id}::uuid
      LEFT JOIN notification_preferences p ON p.user_id = d.user_id
      WHERE d.user_id = ANY (${userIds}::uuid[]) AND (${apps}::text[] IS NULL OR d.app = ANY (${apps}::text[]))
        AND d.disabled_reason IS NULL AND coalesce(p.push_enabled, true)
        AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.user_id AND (u.disabled_at IS NOT NULL OR u.deleted_at IS NOT NULL))),
    numbered AS (
      SELECT *, (row_number() OVER (PARTITION BY upstream ORDER BY id) - 1) / ${chunkSize}::int AS n FROM audience),
    planned AS (
      INSERT INTO push_message_chunks (message_id, upstream, platform, device_ids)
      SELECT ${id}::uuid, upstream, platform, array_agg(id) FROM numbered GROUP BY upstream, platform, n)
    SELECT platform, count(*)::int AS count FROM audience GROUP BY platform`
}
