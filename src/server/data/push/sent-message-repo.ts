import type { PushMessage } from '../../../generated/prisma/client.ts'
import type { Audience, Content, FailureCount, SentByUser, SentMessageRepo } from '../../push/ports.ts'
import type { Timeline } from '../../push/timeline.ts'
import type { Db } from '../postgres/db.ts'
import { messageView } from './message-row.ts'

const include = { pushToken: { select: { name: true } } } as const

export function createSentMessageRepo(db: Db): SentMessageRepo {
  return {
    async list(userId, beforeId, limit) {
      // The newest of each token, over the index on token and id: a token may have sent hundreds of thousands.
      const ids = await db.sql.rows<{ id: string }>`
        SELECT m.id FROM push_tokens t CROSS JOIN LATERAL (
          SELECT id FROM push_messages WHERE push_token_id = t.id
            AND (${beforeId ?? null}::uuid IS NULL OR id < ${beforeId ?? null}::uuid)
          ORDER BY id DESC LIMIT ${limit}) m
        WHERE t.user_id = ${userId}::uuid ORDER BY m.id DESC LIMIT ${limit}`
      const rows = await db.pushMessage.findMany({
        where: { id: { in: ids.map(({ id }) => id) } },
        orderBy: { id: 'desc' },
        include,
      })
      return rows.map(sentByUserOf)
    },

    async find(userId, messageId) {
      const row = await db.pushMessage.findFirst({
        where: { id: messageId, pushToken: { userId } },
        include,
      })
      return row && sentByUserOf(row)
    },

    async timeline(userId, messageId) {
      const row = await db.pushMessage.findFirst({
        where: { id: messageId, pushToken: { userId } },
        select: { timeline: true },
      })
      return row && { timeline: row.timeline as Timeline | null }
    },

    countFailures: (messageId, most) => db.sql.rows<FailureCount>`
      SELECT platform, reason, count(*)::int AS count FROM push_failures WHERE message_id = ${messageId}::uuid
      GROUP BY platform, reason ORDER BY count DESC, platform, reason LIMIT ${most}`,
  }
}

function sentByUserOf(row: PushMessage & { pushToken: { name: string } | null }): SentByUser {
  const { title = null, body = null, category } = row.content as Content
  const audience = row.audience as Audience | null
  return {
    ...messageView(row),
    title,
    body,
    category,
    target: targetOf(row, audience),
    topic: audience?.kind === 'topic' ? audience.topic : null,
    tokenName: row.pushToken?.name ?? '',
    createdAt: row.createdAt,
  }
}

/** The release before stored the audience of what was scheduled only; several users have the message's own id. */
function targetOf({ id, userId }: PushMessage, audience: Audience | null): SentByUser['target'] {
  if (audience) return audience.kind
  if (userId === null) return 'all'
  return userId === id ? 'users' : 'user'
}
