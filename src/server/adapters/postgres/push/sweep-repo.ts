import type { SweepRepo } from '../../../domain/push/sweeper.ts'
import type { Db } from '../db.ts'

export function createSweepRepo(db: Db): SweepRepo {
  return {
    deleteRecipients: (before, limit) => db.sql.run<'deleteOldRecipients'>`
      DELETE FROM push_recipients WHERE (user_id, message_id) IN (
        SELECT r.user_id, r.message_id
        FROM (
          SELECT id FROM push_messages WHERE created_at < ${before} AND coalesce(send_at, created_at) < ${before}
            AND status IN ('completed', 'cancelled')
          ORDER BY created_at LIMIT ${limit}) AS m
        JOIN push_recipients r ON r.message_id = m.id
        LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED)`,

    deleteMessages: (before, limit) => db.sql.run<'deleteOldMessages'>`
      DELETE FROM push_messages WHERE id IN (
        SELECT id FROM push_messages WHERE created_at < ${before} AND coalesce(send_at, created_at) < ${before}
          AND status IN ('completed', 'cancelled')
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteKeys: (before, limit) => db.sql.run<'deleteOldKeys'>`
      DELETE FROM idempotency_keys WHERE (push_token_id, key) IN (
        SELECT push_token_id, key FROM idempotency_keys WHERE created_at < ${before}
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteMovedDevices: (before, limit) => db.sql.run<'deleteOldMovedDevices'>`
      DELETE FROM moved_devices WHERE (user_id, device_id) IN (
        SELECT user_id, device_id FROM moved_devices WHERE moved_at < ${before}
        ORDER BY moved_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteFailures: (before, limit) => db.sql.run<'deleteOldFailures'>`
      DELETE FROM push_failures WHERE id IN (
        SELECT id FROM push_failures WHERE at < ${before} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteAudit: ({ before, sendsBefore }, limit) => db.sql.run<'deleteOldAudit'>`
      DELETE FROM audit_entries WHERE id IN (
        SELECT id FROM audit_entries
        WHERE at < ${sendsBefore} AND (at < ${before} OR action IN ('push.sent', 'topic.subscribed', 'topic.unsubscribed'))
        ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    // EXISTS with OFFSET counts in the index and stops early, so that only users with many entries are ranked.
    findExcessAudit: (since, { perUser, withoutUser }) => db.sql.rows<'findExcessAudit'>`
      WITH recent AS (SELECT DISTINCT user_id FROM audit_entries WHERE at > ${since} AND user_id IS NOT NULL),
      many AS (
        SELECT user_id FROM recent
        WHERE EXISTS (SELECT FROM audit_entries e WHERE e.user_id = recent.user_id OFFSET ${perUser}::int))
      SELECT ranked.user_id AS "userId", ranked.action, ranked.id
      FROM many CROSS JOIN LATERAL (
        SELECT user_id, action, id, row_number() OVER (PARTITION BY action ORDER BY id DESC) AS place
        FROM audit_entries WHERE user_id = many.user_id) AS ranked
      WHERE ranked.place = ${perUser}::int + 1
      UNION ALL
      SELECT NULL, ranked.action, ranked.id
      FROM (
        SELECT action, id, row_number() OVER (PARTITION BY action ORDER BY id DESC) AS place
        FROM audit_entries
        WHERE user_id IS NULL
          AND EXISTS (SELECT FROM audit_entries WHERE user_id IS NULL OFFSET ${withoutUser}::int)) AS ranked
      WHERE ranked.place = ${withoutUser}::int + 1`,

    deleteExcessAudit: ({ userId, action, id }, limit) => db.sql.run<'deleteExcessAudit'>`
      DELETE FROM audit_entries WHERE id IN (
        SELECT id FROM audit_entries
        WHERE (user_id = ${userId}::uuid OR (${userId}::uuid IS NULL AND user_id IS NULL))
          AND action = ${action} AND id <= ${id}::uuid
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  }
}
