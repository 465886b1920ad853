import { tokenActor, userActor } from '../../audit.ts'
import { MAX_FAILURES } from '../../push/counts.ts'
import type { Counts, SentMessage } from '../../push/ports.ts'
import type { Sql } from '../postgres/sql.ts'
import type { SettledCounts } from './device-removal.ts'

/** A message to one user and what came of it. */
export type DirectMessage = {
  message: SentMessage
  audience: Counts['audience']
  settled: SettledCounts
}

/**
 * Stores completed messages with their audit entries, in one statement. False for one that was there: a write may be
 * repeated, and a request that was taken over may still be running. The token may have been deleted since; KEY SHARE is
 * the lock that its foreign key takes anyway.
 */
export async function storeDirect(sql: Sql, messages: DirectMessage[]): Promise<boolean[]> {
  const rows = await sql.rows<{ id: string }>`
    WITH stored AS (
      INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios,
        audience_android, audience_web, sent, failed, removed, failures, created_at, expires_at, completed_at)
      SELECT m.id, (SELECT t.id FROM push_tokens t WHERE t.id = m.push_token_id FOR KEY SHARE), m.user_id, m.category,
        m.content, 'completed', m.audience_ios, m.audience_android, m.audience_web, m.sent, m.failed, m.removed, m.failures,
        m.created_at, m.expires_at, m.completed_at
      FROM jsonb_to_recordset(${JSON.stringify(messages.map(messageRow))}::jsonb) AS m (id uuid, push_token_id uuid,
        user_id uuid, category text, content jsonb, audience_ios int, audience_android int, audience_web int, sent int, failed int,
        removed int, failures jsonb, created_at timestamptz, expires_at timestamptz, completed_at timestamptz)
      ON CONFLICT (id) DO NOTHING RETURNING id),
    audited AS (
      INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
      SELECT a.id, 'push.sent', a.actor, a.user_id, a.id::text, a.address, a.details
      FROM jsonb_to_recordset(${JSON.stringify(messages.map(auditRow))}::jsonb) AS a (id uuid, actor text, user_id uuid,
        address text, details jsonb)
      JOIN stored USING (id))
    SELECT id FROM stored`
  const stored = new Set(rows.map((row) => row.id))
  return messages.map(({ message }) => stored.has(message.id))
}

function messageRow({ message, audience, settled }: DirectMessage) {
  const { id, sender, userId, content, createdAt, expiresAt } = message
  return {
    id,
    push_token_id: sender.id,
    user_id: userId,
    category: content.category,
    content,
    audience_ios: audience.ios,
    audience_android: audience.android,
    audience_web: audience.web,
    sent: settled.sent,
    failed: settled.failed,
    removed: settled.removed,
    failures: settled.failures.slice(0, MAX_FAILURES),
    created_at: createdAt,
    expires_at: expiresAt,
    completed_at: new Date(),
  }
}

function auditRow({ message: { id, sender, userId, content } }: DirectMessage) {
  return {
    id,
    actor: sender.id === null ? userActor(sender.userId) : tokenActor(sender.id),
    user_id: sender.userId,
    address: sender.address,
    details: { userId, category: content.category, ...(sender.id === null && { test: true }) },
  }
}
