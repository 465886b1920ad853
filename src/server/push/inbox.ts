import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { InboxMessage, MessageRepo } from './ports.ts'
import type { ListMessagesInput } from './schema.ts'

export function createInbox(repo: MessageRepo) {
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
      const found = await repo.listSentTo(userId, cursor, limit + 1)
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },
  }
}

export type InboxPage = { items: InboxMessage[]; nextCursor: string | null }
