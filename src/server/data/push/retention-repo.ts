import type { RetentionRepo } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'

export function createRetentionRepo(db: Db): RetentionRepo {
  return {
    deleteMessages: (before, limit) => db.sql.run`
      DELETE FROM push_messages WHERE id IN (
        SELECT id FROM push_messages WHERE created_at < ${before} AND coalesce(send_at, created_at) < ${before}
          AND status IN ('completed', 'cancelled')
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteKeys: (before, limit) => db.sql.run`
      DELETE FROM idempotency_keys WHERE (push_token_id, key) IN (
        SELECT push_token_id, key FROM idempotency_keys WHERE created_at < ${before}
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteMovedDevices: (before, limit) => db.sql.run`
      DELETE FROM moved_devices WHERE (user_id, device_id) IN (
        SELECT user_id, device_id FROM moved_devices WHERE moved_at < ${before}
        ORDER BY moved_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteFailures: (before, limit) => db.sql.run`
      DELETE FROM push_failures WHERE id IN (
        SELECT id FROM push_failures WHERE at < ${before} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,

    deleteAudit: ({ before, sendsBefore }, limit) => db.sql.run`
      DELETE FROM audit_entries WHERE id IN (
        SELECT id FROM audit_entries
        WHERE at < ${sendsBefore} AND (at < ${before} OR action IN ('push.sent', 'topic.subscribed', 'topic.unsubscribed'))
        ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  }
}
