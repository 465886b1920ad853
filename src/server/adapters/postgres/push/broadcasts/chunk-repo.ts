import type { Chunk, ChunkRepo, RetryGroup } from '../../../../domain/push/broadcasts/chunk-repo.ts'
import { PLATFORMS, partsOf } from '../../../../domain/push/delivery/upstream.ts'
import { addToTimeline } from '../../../../domain/push/inbox/timeline.ts'
import {
  type Counts,
  countFailure,
  MAX_FAILURES,
  sumCounts,
} from '../../../../domain/push/messages/counts.ts'
import { FIRST_ID } from '../../../../kernel/ids.ts'
import { createBatches } from '../../batch.ts'
import type { Db } from '../../db.ts'
import type { Row, Sql } from '../../sql.ts'
import type { CircuitBreakers, RecordSuspects } from '../delivery/circuit-breakers.ts'
import { removeDevices } from '../devices/device-removal.ts'
import { recipientOf } from '../devices/device-repo.ts'
import { addFailures } from '../messages/failure-rows.ts'

/**
 * Time for a replica that knows a chunk's app to claim it: while replicas restart one after another, some do not know a
 * new app yet. After that, any replica claims it and counts its devices as failed.
 */
const UNKNOWN_APP_AFTER_MS = 10_000

type FinishedChunk = { chunk: Chunk; leaseId: string; counts: Counts; retries: RetryGroup[] }

export function createChunkRepo(db: Db, breakers: CircuitBreakers): ChunkRepo {
  const record = createBatches(
    ({ chunk }: FinishedChunk) => chunk.message.id,
    (finished) => {
      const counts = sumCounts(finished.map((each) => each.counts))
      return breakers.recording(counts, (recordSuspects) =>
        db.sqlTransaction((sql) => recordChunks(sql, finished, recordSuspects), 20_000),
      )
    },
  )
  return {
    async claim(leaseId, { known, unknown }, leaseMs, except) {
      // All leases expire while PostgreSQL restarts. Their holders get the duration of a lease to extend them.
      const rows = await db.sql.rows<'claimChunks'>`
        WITH present AS (
          SELECT coalesce(upstream, platform::text, 'ios') AS upstream, min(due_at) AS since
          FROM push_message_chunks WHERE due_at <= now() GROUP BY 1),
        -- Only upstreams with chunks, because there can be hundreds.
        wanted AS (
          SELECT p.upstream, coalesce(k.free, ${unknown}::int) AS free FROM present p
          LEFT JOIN unnest(${[...known.keys()]}::text[], ${[...known.values()]}::int[]) AS k (upstream, free)
            ON k.upstream = p.upstream
          WHERE k.upstream IS NOT NULL OR p.since < now() - ${UNKNOWN_APP_AFTER_MS} * interval '1 ms'),
        due AS (
          SELECT c.id FROM wanted u,
          LATERAL (
            SELECT id FROM push_message_chunks
            WHERE coalesce(upstream, platform::text, 'ios') = u.upstream AND due_at <= now()
              AND id <> ALL (${except}::uuid[])
              AND (lease_id IS NULL OR pg_postmaster_start_time() < now() - ${leaseMs} * interval '1 ms')
            ORDER BY due_at LIMIT u.free FOR UPDATE SKIP LOCKED) c),
        taken AS (
          UPDATE push_message_chunks c
          SET lease_id = ${leaseId}::uuid, due_at = now() + ${leaseMs} * interval '1 ms'
          FROM due WHERE c.id = due.id RETURNING c.*),
        started AS (
          UPDATE push_messages m SET status = 'sending'
          FROM (SELECT DISTINCT message_id FROM taken) t WHERE m.id = t.message_id AND m.status = 'queued')
        SELECT t.id, t.after_id AS "afterId", t.last_id AS "lastId", t.device_ids AS "deviceIds", t.platform, t.upstream,
          t.attempt, now() AS "claimedAt", m.cancelled_at IS NOT NULL AS cancelled, m.id AS "messageId", m.content,
          m.created_at AS "createdAt", m.expires_at AS "expiresAt"
        FROM taken t JOIN push_messages m ON m.id = t.message_id`
      return rows.map(chunkOf)
    },

    // Counts one attempt fewer, so that a retry that was brought forward does not lengthen the next wait.
    makeDue: (upstreams, limit) => db.sql.write<'makeChunksDue'>`
      UPDATE push_message_chunks
      SET due_at = greatest(now(), not_before), attempt = greatest(0, attempt - 1)
      WHERE id IN (
        SELECT c.id FROM unnest(${upstreams}::text[]) AS u (upstream), LATERAL (
          SELECT id FROM push_message_chunks
          WHERE upstream = u.upstream AND lease_id IS NULL AND due_at > now() AND due_at > not_before
          ORDER BY greatest(now(), not_before), due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED) c)`,

    async extend(leaseId, chunkIds, leaseMs) {
      const rows = await db.sql.rows<'extendChunks'>`
        UPDATE push_message_chunks c SET due_at = now() + ${leaseMs} * interval '1 ms'
        FROM push_messages m
        WHERE c.id = ANY (${chunkIds}::uuid[]) AND c.lease_id = ${leaseId}::uuid AND m.id = c.message_id
        RETURNING m.id, m.cancelled_at IS NOT NULL AS cancelled`
      return rows.flatMap(({ id, cancelled }) => (cancelled ? [id] : []))
    },

    release: (leaseId) => db.sql.write<'releaseChunks'>`
      UPDATE push_message_chunks SET due_at = now(), lease_id = NULL WHERE lease_id = ${leaseId}::uuid`,

    async read(chunk) {
      const { category, apps = null } = chunk.message.content
      const rows = chunk.retry
        ? await db.sql.rows<'readRetry'>`
            SELECT d.id AS "deviceId", d.app, d.platform, d.token, d.environment, d.locale, d.last_seen_at::text AS "lastSeenAt",
              d.web_p256dh AS p256dh, d.web_auth AS auth, d.web_service AS service FROM devices d
            LEFT JOIN notification_preferences p ON p.user_id = d.user_id
            WHERE d.id = ANY (${chunk.retry.deviceIds}::uuid[]) AND d.disabled_reason IS NULL
              AND (${apps}::text[] IS NULL OR d.app = ANY (${apps}::text[]))
              AND coalesce(p.push_enabled, true) AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
              AND NOT EXISTS (SELECT 1 FROM users u
                WHERE u.id = d.user_id AND (u.disabled_at IS NOT NULL OR u.deleted_at IS NOT NULL))
              -- A device that has moved to another user since then must not show this message.
              AND EXISTS (SELECT 1 FROM push_messages m WHERE m.id = ${chunk.message.id}::uuid
                AND (m.user_id IS NULL OR m.user_id = d.user_id OR EXISTS (
                  SELECT 1 FROM push_recipients r WHERE r.user_id = d.user_id AND r.message_id = m.id)))`
        : await db.sql.rows<'readRange'>`
            SELECT d.id AS "deviceId", d.app, d.platform, d.token, d.environment, d.locale, d.last_seen_at::text AS "lastSeenAt",
              d.web_p256dh AS p256dh, d.web_auth AS auth, d.web_service AS service FROM devices d
            LEFT JOIN notification_preferences p ON p.user_id = d.user_id
            WHERE d.platform = ANY (${chunk.platforms}::platform[])
              AND d.app = ${chunk.app} AND d.id > ${chunk.afterId ?? FIRST_ID}::uuid AND d.id <= ${chunk.lastId!}::uuid
              AND d.disabled_reason IS NULL
              AND coalesce(p.push_enabled, true) AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))
              AND NOT EXISTS (SELECT 1 FROM users u
                WHERE u.id = d.user_id AND (u.disabled_at IS NOT NULL OR u.deleted_at IS NOT NULL))`
      return rows.map(recipientOf)
    },

    record: (chunk, leaseId, counts, retries) => record({ chunk, leaseId, counts, retries }),
  }
}

/**
 * Returns how many chunks are unsent, and how many messages are scheduled. Each chunk has about 500 devices, so there are
 * thousands at most. A message that is due and not yet planned counts as one chunk.
 */
export async function queueDepth(db: Db): Promise<Row<'queueDepth'>> {
  const [row] = await db.sql.rows<'queueDepth'>`
    SELECT (count(*) FILTER (WHERE due_at <= now()) + (
             SELECT count(*) FROM push_messages
             WHERE scheduled AND cancelled_at IS NULL AND (send_at IS NULL OR send_at <= now())))::int AS due,
           count(*) FILTER (WHERE due_at > now() AND lease_id IS NOT NULL)::int AS leased,
           count(*) FILTER (WHERE due_at > now() AND lease_id IS NULL)::int AS waiting,
           (SELECT count(*) FROM push_messages WHERE scheduled AND cancelled_at IS NULL AND send_at > now())::int AS scheduled
    FROM push_message_chunks`
  return row!
}

/** Records chunks of one message. Returns for each whether this worker still held it. */
async function recordChunks(
  sql: Sql,
  finished: FinishedChunk[],
  recordSuspects: RecordSuspects,
): Promise<boolean[]> {
  const messageId = finished[0]!.chunk.message.id
  // Before the message is locked, because a transaction that holds the circuit breaker may recount this message.
  const breakerStates = await recordSuspects(sql)
  // Workers that record for this message wait here, so that each sees the failures of the others.
  const message = await sql.row<'lockRecordedMessage'>`
    SELECT failures, timeline, now() AS now, cancelled_at IS NOT NULL AS cancelled
    FROM push_messages WHERE id = ${messageId}::uuid FOR UPDATE`
  const deleted = await sql.rows<'deleteChunks'>`
    DELETE FROM push_message_chunks c
    USING unnest(${finished.map((f) => f.chunk.id)}::uuid[], ${finished.map((f) => f.leaseId)}::uuid[]) AS f (id, lease_id)
    WHERE c.id = f.id AND c.lease_id = f.lease_id RETURNING c.id`
  const ids = new Set(deleted.map((row) => row.id))
  const isHeld = finished.map(({ chunk }) => message !== null && ids.has(chunk.id))
  const held = finished.filter((_, i) => isHeld[i])
  if (!message || held.length === 0) return isHeld
  const counts = sumCounts(
    held.map((each) => (message.cancelled ? withoutRetries(each.counts, each.retries) : each.counts)),
  )
  const { sent, failed, removed, failures } = await removeDevices(sql, messageId, counts, breakerStates)
  if (!message.cancelled)
    await addRetries(
      sql,
      messageId,
      held.flatMap((each) => each.retries),
    )
  await addFailures(sql, messageId, failures)
  const timeline = addToTimeline(message.timeline, message.now, { sent, failed, removed })
  const listed = JSON.stringify([...message.failures, ...failures].slice(0, MAX_FAILURES))
  await sql.run<'recordChunks'>`
    WITH rest AS (SELECT EXISTS (
      SELECT 1 FROM push_message_chunks WHERE message_id = ${messageId}::uuid) AS any)
    UPDATE push_messages SET
      audience_ios = audience_ios + ${counts.audience.ios}::int,
      audience_android = audience_android + ${counts.audience.android}::int,
      audience_web = audience_web + ${counts.audience.web}::int,
      sent = sent + ${sent}::int, failed = failed + ${failed}::int, removed = removed + ${removed}::int,
      failures = ${listed}::jsonb, timeline = ${JSON.stringify(timeline)}::jsonb,
      status = (CASE WHEN rest.any THEN 'sending' WHEN cancelled_at IS NULL THEN 'completed'
        ELSE 'cancelled' END)::message_status,
      completed_at = CASE WHEN rest.any OR cancelled_at IS NOT NULL THEN NULL ELSE now() END
    FROM rest WHERE id = ${messageId}::uuid`
  return isHeld
}

async function addRetries(sql: Sql, messageId: string, groups: RetryGroup[]): Promise<void> {
  for (const { upstream, platform, deviceIds, attempt, delayMs, notBeforeMs } of groups)
    await sql.run<'addRetry'>`
      INSERT INTO push_message_chunks (message_id, upstream, platform, device_ids, attempt, due_at, not_before)
      VALUES (${messageId}::uuid, ${upstream}, ${platform}::platform, ${deviceIds}::uuid[], ${attempt}::int,
              now() + ${delayMs} * interval '1 ms', now() + ${notBeforeMs ?? null}::int * interval '1 ms')`
}

/**
 * Counts the retries of a cancelled message as failed. Copies the counts, because a failed transaction is repeated
 * with them.
 */
function withoutRetries(counts: Counts, groups: RetryGroup[]): Counts {
  const final = { ...counts, failures: [...counts.failures] }
  for (const { platform, deviceIds } of groups)
    for (const deviceId of deviceIds) countFailure(final, { deviceId, platform, reason: 'CANCELLED' })
  return final
}

function chunkOf({ messageId, content, createdAt, expiresAt, ...row }: Row<'claimChunks'>): Chunk {
  const { platform, deviceIds, ...chunk } = row
  const upstream = row.upstream ?? platform ?? 'ios'
  const of = partsOf(upstream)
  return {
    ...chunk,
    upstream,
    app: of.app,
    platforms: PLATFORMS.filter((each) => row.upstream === null || of.platform === each),
    retry: platform ? { platform, deviceIds: deviceIds ?? [] } : undefined,
    message: { id: messageId, userId: null, content, createdAt, expiresAt },
  }
}
