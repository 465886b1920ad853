import { noSuspicion, type Suspicion } from '../push/brake.ts'
import type { Chunk, ChunkRepo, Content, Failure, Platform, RetryGroup } from '../push/ports.ts'
import { MAX_FAILURES } from '../push/tally.ts'
import type { Db } from './postgres/db.ts'
import { type Sql, sqlIn } from './postgres/sql.ts'
import { type RecipientRow, recipientOf } from './push-recipients.ts'
import { settle } from './push-removals.ts'

type ClaimedRow = {
  id: string
  after_id: string | null
  last_id: string | null
  device_ids: string[]
  platform: Platform | null
  attempt: number
  message_id: string
  push_token_id: string
  content: Content
  created_at: Date
  expires_at: Date
}

type MessageRow = { suspects: Partial<Suspicion>; failures: Failure[] }

export function createPushChunkRepo(db: Db): ChunkRepo {
  return {
    async claim(leaseId, limit, leaseMs, except) {
      // After a restart of PostgreSQL all leases have run out: whoever holds a chunk gets the time to say so.
      const rows = await db.sql.rows<ClaimedRow>`
        WITH due AS (
          SELECT id FROM push_message_chunks
          WHERE due_at <= now() AND id <> ALL (${except}::uuid[])
            AND (lease_id IS NULL OR pg_postmaster_start_time() < now() - ${leaseMs} * interval '1 ms')
          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED),
        taken AS (
          UPDATE push_message_chunks c
          SET lease_id = ${leaseId}::uuid, due_at = now() + ${leaseMs} * interval '1 ms'
          FROM due WHERE c.id = due.id RETURNING c.*),
        begun AS (
          UPDATE push_messages m SET status = 'sending'
          FROM (SELECT DISTINCT message_id FROM taken) t WHERE m.id = t.message_id AND m.status = 'queued')
        SELECT t.id, t.after_id, t.last_id, t.device_ids, t.platform, t.attempt, t.message_id,
               m.push_token_id, m.content, m.created_at, m.expires_at
        FROM taken t JOIN push_messages m ON m.id = t.message_id`
      return rows.map(chunkOf)
    },

    async extend(leaseId, chunkIds, leaseMs) {
      await db.sql.run`
        UPDATE push_message_chunks SET due_at = now() + ${leaseMs} * interval '1 ms'
        WHERE id = ANY (${chunkIds}::uuid[]) AND lease_id = ${leaseId}::uuid`
    },

    async release(leaseId) {
      await db.sql.run`
        UPDATE push_message_chunks SET due_at = now(), lease_id = NULL WHERE lease_id = ${leaseId}::uuid`
    },

    async read(chunk) {
      const { category } = chunk.message.content
      const rows = chunk.retry
        ? await db.sql.rows<RecipientRow>`
            SELECT d.id, d.platform, d.token, d.environment, d.last_seen_at FROM devices d
            LEFT JOIN notification_preferences p ON p.user_id = d.user_id
            WHERE d.id = ANY (${chunk.retry.deviceIds}::uuid[]) AND d.disabled_reason IS NULL
              AND coalesce(p.push_enabled, true) AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))`
        : await db.sql.rows<RecipientRow>`
            SELECT d.id, d.platform, d.token, d.environment, d.last_seen_at FROM devices d
            LEFT JOIN notification_preferences p ON p.user_id = d.user_id
            WHERE d.id <= ${chunk.lastId}::uuid AND (${chunk.afterId}::uuid IS NULL OR d.id > ${chunk.afterId}::uuid)
              AND d.disabled_reason IS NULL
              AND coalesce(p.push_enabled, true) AND NOT ${category} = ANY (coalesce(p.muted_categories, '{}'))`
      return rows.map(recipientOf)
    },

    async record(chunk, leaseId, tally, retries) {
      const messageId = chunk.message.id
      return db.$transaction(
        async (tx) => {
          const sql = sqlIn(tx)
          // Everybody who records for this message waits here, so counts, brake and completion see each other.
          const [message] = await sql.rows<MessageRow>`
            SELECT suspects, failures FROM push_messages WHERE id = ${messageId}::uuid FOR UPDATE`
          const held = await sql.run`
            DELETE FROM push_message_chunks WHERE id = ${chunk.id}::uuid AND lease_id = ${leaseId}::uuid`
          if (!message || held === 0) return false
          const before = { ...noSuspicion(), ...message.suspects }
          const { sent, failed, removed, failures, suspicion } = await settle(sql, messageId, tally, before)
          await addRetries(sql, messageId, retries)
          const listed = JSON.stringify([...message.failures, ...failures].slice(0, MAX_FAILURES))
          await sql.run`
            WITH rest AS (SELECT EXISTS (
              SELECT 1 FROM push_message_chunks WHERE message_id = ${messageId}::uuid) AS any)
            UPDATE push_messages SET
              audience_ios = audience_ios + ${tally.audience.ios}::int,
              audience_android = audience_android + ${tally.audience.android}::int,
              sent = sent + ${sent}::int, failed = failed + ${failed}::int, removed = removed + ${removed}::int,
              failures = ${listed}::jsonb, suspects = ${JSON.stringify(suspicion)}::jsonb,
              status = (CASE WHEN rest.any THEN 'sending' ELSE 'completed' END)::message_status,
              completed_at = CASE WHEN rest.any THEN NULL ELSE now() END
            FROM rest WHERE id = ${messageId}::uuid`
          return true
        },
        { timeout: 20_000 },
      )
    },
  }
}

async function addRetries(sql: Sql, messageId: string, groups: RetryGroup[]): Promise<void> {
  for (const { platform, deviceIds, attempt, delayMs } of groups)
    await sql.run`
      INSERT INTO push_message_chunks (message_id, platform, device_ids, attempt, due_at)
      VALUES (${messageId}::uuid, ${platform}::platform, ${deviceIds}::uuid[], ${attempt}::int,
              now() + ${delayMs} * interval '1 ms')`
}

function chunkOf(row: ClaimedRow): Chunk {
  return {
    id: row.id,
    attempt: row.attempt,
    afterId: row.after_id,
    lastId: row.last_id,
    retry: row.platform ? { platform: row.platform, deviceIds: row.device_ids } : undefined,
    message: {
      id: row.message_id,
      pushTokenId: row.push_token_id,
      userId: null,
      content: row.content,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    },
  }
}
