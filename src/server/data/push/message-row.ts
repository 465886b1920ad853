import type { Prisma, PushMessage } from '../../../generated/prisma/client.ts'
import type { Broadcast, Content, Failure, InboxMessage, NewMessage } from '../../push/ports.ts'
import type { MessageView } from '../../push/schema.ts'

// How push_messages is read and written. Prisma gives camel case, our own statements the columns' names.

/** What the statements of the worker and the inbox select. */
export type MessageRow = {
  id: string
  content: Content
  created_at: Date
  expires_at: Date
}

/** A broadcast that is not planned yet. */
export function broadcastColumns(message: Broadcast) {
  const { id, sender, content, audience, sendAt, createdAt, expiresAt } = message
  return {
    id,
    pushTokenId: sender.id,
    userId: id,
    category: content.category,
    content: content as Prisma.InputJsonObject,
    status: 'queued' as const,
    createdAt,
    expiresAt,
    // Planning it removes the list of `userIds`.
    audience: audience as Prisma.InputJsonObject,
    ...(sendAt && { sendAt, scheduled: true }),
  }
}

export function messageView(row: PushMessage): MessageView & { pushTokenId: string | null } {
  return {
    id: row.id,
    pushTokenId: row.pushTokenId,
    status: row.scheduled && !row.cancelledAt ? 'scheduled' : row.status,
    ...(row.sendAt && { sendAt: row.sendAt.toISOString() }),
    audience: { ios: row.audienceIos, android: row.audienceAndroid, web: row.audienceWeb },
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
  row: Pick<MessageRow, 'id' | 'content' | 'created_at'> & Pick<InboxMessage, 'broadcast' | 'unread'>,
): InboxMessage {
  const { id, broadcast, unread, created_at: createdAt } = row
  // Silent ones, which have no text, are not listed.
  const { title = '', subtitle = null, body = '', category, imageUrl = null, link = null } = row.content
  const { data = {} } = row.content
  return { id, title, subtitle, body, category, imageUrl, link, data, broadcast, unread, createdAt }
}
