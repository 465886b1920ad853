import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { InboxMessage, InboxRepo } from './ports.ts'
import type { ListMessagesInput } from './schema.ts'

export function createInbox(repo: InboxRepo) {
  return {
    /**
     * What was sent to a user: to this user alone, or to everybody since the account exists. Newest first.
     * @throws AppError BAD_REQUEST for a cursor that is none
     */
    async list(userId: string, { cursor, limit }: ListMessagesInput): Promise<InboxPage> {
      if (cursor !== undefined && !isId(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not one that messages.list gave out (nextCursor).', {
          fieldErrors: { cursor: ['must be the nextCursor of an earlier page'] },
        })
      const found = await repo.sentTo(userId, cursor, limit + 1)
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },
  }
}

export type InboxPage = { items: InboxMessage[]; nextCursor: string | null }
