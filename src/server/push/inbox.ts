import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { InboxMessage, InboxRepo } from './ports.ts'
import type { ListMessagesInput } from './schema.ts'

/** Unread messages are counted up to here: more is "many" to anybody. */
export const MAX_UNREAD = 100

export function createInbox(repo: InboxRepo) {
  return {
    /**
     * Messages to this user, or to everybody since the account exists. Newest first.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async list(userId: string, { cursor, limit }: ListMessagesInput): Promise<InboxPage> {
      if (cursor !== undefined && !isId(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not one that messages.list gave out (nextCursor).', {
          fieldErrors: { cursor: ['must be the nextCursor of an earlier page'] },
        })
      const found = await repo.list(userId, cursor, limit + 1)
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },

    /** How many messages are newer than the last one read; at most `MAX_UNREAD`. */
    async unread(userId: string): Promise<{ count: number }> {
      return { count: await repo.countUnread(userId, MAX_UNREAD) }
    },

    /**
     * This message and all before it are read. Idempotent, and never makes one unread again.
     * @throws AppError NOT_FOUND: not in this user's inbox
     */
    async markRead(userId: string, messageId: string): Promise<{ success: true }> {
      if (!isId(messageId) || !(await repo.markRead(userId, messageId)))
        throw new AppError('NOT_FOUND', 'There is no message with this id among those that you were sent.')
      return { success: true }
    },
  }
}

export type InboxPage = { items: InboxMessage[]; nextCursor: string | null }
