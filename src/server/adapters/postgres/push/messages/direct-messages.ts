import { type Counts, MAX_FAILURES } from '../../../../domain/push/messages/counts.ts'
import { pickedToken, type SentMessage } from '../../../../domain/push/messages/message.ts'
import { tokenActor, userActor } from '../../../../kernel/audit.ts'
import type { Sql } from '../../sql.ts'
import type { SettledCounts } from '../devices/device-removal.ts'

/** A message to one user and its result. */
export type DirectMessage = {
  message: SentMessage
  audience: Counts['audience']
  settled: SettledCounts
}

/**
 * Stores completed messages with their audit entries in one statement. Returns false for each message that was already
 * stored, because writes can be repeated and an earlier request may still be running. The token may have been deleted
 * in the meantime. KEY SHARE is the lock that its foreign key takes anyway.
 */
export async function storeDirect(sql: Sql, messages: DirectMessage[]): Promise<boolean[]> {
  const rows = await sql.rows<'storeDirect'>`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(messages.map(rowOf))}::jsonb) AS m (id uuid, "tokenId" uuid,
        "userId" uuid, content jsonb, ios int, android int, web int, sent int, failed int, removed int, failures jsonb,
        "createdAt" timestamptz, "expiresAt" timestamptz, "completedAt" timestamptz, actor text, "senderId" uuid,
        address text, details jsonb)),
    stored AS (
      INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios,
        audience_android, audience_web, sent, failed, removed, failures, created_at, expires_at, completed_at)
      SELECT id, (SELECT t.id FROM push_tokens t WHERE t.id = "tokenId" FOR KEY SHARE), "userId", content ->> 'category',
        content, 'completed', ios, android, web, sent, failed, removed, failures, "createdAt", "expiresAt", "completedAt"
      FROM given ON CONFLICT (id) DO NOTHING RETURNING id),
    audited AS (
      INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
      SELECT id, 'push.sent', actor, "senderId", id::text, address, details FROM given JOIN stored USING (id))
    SELECT id FROM stored`
  const stored = new Set(rows.map(({ id }) => id))
  return messages.map(({ message }) => stored.has(message.id))
}

function rowOf({ message, audience, settled }: DirectMessage) {
  const { id, sender, userId, content, createdAt, expiresAt } = message
  return {
    id,
    tokenId: sender.id,
    userId,
    content,
    ...audience,
    ...settled,
    failures: settled.failures.slice(0, MAX_FAILURES),
    createdAt,
    expiresAt,
    completedAt: new Date(),
    actor: sender.actor ?? (sender.id === null ? userActor(sender.userId) : tokenActor(sender.id)),
    senderId: sender.userId,
    address: sender.address,
    details: {
      userId,
      category: content.category,
      ...(sender.id === null && { test: true }),
      ...pickedToken(sender),
    },
  }
}
