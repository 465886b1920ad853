import type { Prisma, PushMessage } from '../../../generated/prisma/client.ts'
import type { Content, Failure, InboxMessage, NewMessage, SentMessage } from '../../push/ports.ts'
import type { MessageView } from '../../push/schema.ts'

// How push_messages is read and written. Prisma gives camel case, our own statements the columns' names.

/** What the statements of the worker and the inbox select. */
export type MessageRow = {
  id: string
  content: Content
  created_at: Date
  expires_at: Date
}

export function messageColumns(message: SentMessage) {
  const { id, sender, userIds, content, createdAt, expiresAt } = message
  // See schema.prisma.
  const userId = userIds ? id : message.userId
  return {
    id,
    pushTokenId: sender.id,
    userId,
    category: content.category,
    content: content as Prisma.InputJsonObject,
    createdAt,
    expiresAt,
  }
}

export function messageView(row: PushMessage): MessageView & { pushTokenId: string | null } {
  return {
    id: row.id,
    pushTokenId: row.pushTokenId,
    status: row.status,
    audience: { ios: row.audienceIos, android: row.audienceAndroid },
    sent: row.sent,
    failed: row.failed,
    removed: row.removed,
    failures: row.failures as Failure[],
  }
}

export function broadcastOf(row: MessageRow): NewMessage {
  return {
    id: row.id,
    userId: null,
    content: row.content,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

export function inboxMessageOf(
  row: Pick<MessageRow, 'id' | 'content' | 'created_at'> & { broadcast: boolean },
): InboxMessage {
  const { title, body, category, data = {} } = row.content
  return { id: row.id, title, body, category, data, broadcast: row.broadcast, createdAt: row.created_at }
}
