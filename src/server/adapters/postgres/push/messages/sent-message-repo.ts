import type { SentByUser, SentMessageRepo } from '../../../../domain/push/messages/sent-messages.ts'
import { LAST_ID } from '../../../../kernel/ids.ts'
import type { Db } from '../../db.ts'
import type { Row } from '../../sql.ts'
import { countFailures } from './failure-rows.ts'
import { messageView } from './message-view.ts'

export function createSentMessageRepo({ sql, planned }: Db): SentMessageRepo {
  return {
    async list({ id: userId, isAdmin }, { status = null, query = null, beforeId = LAST_ID, limit }) {
      // Reads the newest of each token through the index on token and ID, or on those of unfinished messages. A token may
      // have sent hundreds of thousands.
      const rows = await planned.rows<'listSentMessages'>`
        SELECT m.*, t.name AS "tokenName", r.id AS "recipientId", r.name AS "recipientName",
          coalesce(r.email, r.claimed_email, r.display_email) AS "recipientEmail"
        FROM push_tokens t CROSS JOIN LATERAL (
          SELECT * FROM push_messages WHERE push_token_id = t.id AND id < ${beforeId}::uuid
            AND CASE ${status}::text
              WHEN 'scheduled' THEN completed_at IS NULL AND cancelled_at IS NULL AND scheduled AND send_at IS NOT NULL
              WHEN 'sending' THEN completed_at IS NULL AND cancelled_at IS NULL AND NOT (scheduled AND send_at IS NOT NULL)
              WHEN 'completed' THEN status = 'completed'
              WHEN 'failed' THEN failed > 0
              WHEN 'cancelled' THEN status = 'cancelled'
              ELSE true END
            AND (${query}::text IS NULL
              OR position(lower(normalize(${query}::text)) IN lower(normalize(content ->> 'title'))) > 0)
          ORDER BY id DESC LIMIT ${limit}) m
        LEFT JOIN users r ON r.id = coalesce((m.audience ->> 'userId')::uuid, m.user_id) AND r.deleted_at IS NULL
          AND (r.id = t.user_id OR ${isAdmin}::boolean)
        WHERE t.user_id = ${userId}::uuid ORDER BY m.id DESC LIMIT ${limit}`
      return rows.map(sentByUser)
    },

    async find({ id: userId, isAdmin }, messageId) {
      const [row] = await sql.rows<'findSentMessage'>`
        SELECT m.*, t.name AS "tokenName", r.id AS "recipientId", r.name AS "recipientName",
          coalesce(r.email, r.claimed_email, r.display_email) AS "recipientEmail"
        FROM push_messages m JOIN push_tokens t ON t.id = m.push_token_id
        LEFT JOIN users r ON r.id = coalesce((m.audience ->> 'userId')::uuid, m.user_id) AND r.deleted_at IS NULL
          AND (r.id = t.user_id OR ${isAdmin}::boolean)
        WHERE m.id = ${messageId}::uuid AND t.user_id = ${userId}::uuid`
      if (!row) return null
      const sent = sentByUser(row)
      return { ...sent, content: row.content, userId: sent.target === 'user' ? recipientOf(row) : null }
    },

    timeline: (userId, messageId) => sql.row<'findTimeline'>`
      SELECT m.timeline FROM push_messages m JOIN push_tokens t ON t.id = m.push_token_id
      WHERE m.id = ${messageId}::uuid AND t.user_id = ${userId}::uuid`,

    countFailures: (...message) => countFailures(sql, ...message),
  }
}

function sentByUser(row: Row<'listSentMessages'>): SentByUser {
  const { title = null, body = null, category } = row.content
  const { audience, recipientId: id, recipientEmail, recipientName } = row
  return {
    ...messageView(row),
    title,
    body,
    category,
    target: audience?.kind ?? targetOf(row),
    topic: audience?.kind === 'topic' ? audience.topic : null,
    recipient: id === null ? null : { id, email: recipientEmail, name: recipientName },
    tokenName: row.tokenName,
    createdAt: row.created_at,
  }
}

/** A scheduled message has its own ID as user. */
function recipientOf({ user_id: userId, audience }: Row<'findSentMessage'>): string | null {
  return audience?.kind === 'user' ? audience.userId : userId
}

/** Earlier releases stored the audience of scheduled messages only. A message to several users has its own ID as user. */
function targetOf({ id, user_id: userId }: Row<'listSentMessages'>): SentByUser['target'] {
  if (userId === null) return 'all'
  return userId === id ? 'users' : 'user'
}
