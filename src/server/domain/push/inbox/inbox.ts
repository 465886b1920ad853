import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { type PageInput, pageOf, readPage } from '../../../kernel/page.ts'
import { isoTime } from '../../../kernel/validation.ts'

/** Message as shown to its recipient. */
const message = z
  .object({
    id: z.string(),
    title: z.string(),
    subtitle: z.string().nullable(),
    body: z.string(),
    category: z.string(),
    imageUrl: z.string().nullable(),
    link: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    /** True if it was sent to all users. */
    broadcast: z.boolean(),
    unread: z.boolean(),
    createdAt: isoTime,
  })
  .meta({ id: 'InboxMessage' })

/** Output of messages.list. */
export const inboxOutput = pageOf(message)

/** Messages sent to a user. */
export type InboxRepo = {
  /**
   * Returns messages to this user, or to everyone since the account was created, newest first and older than
   * `beforeId`, of all categories or of one. Omits silent messages and messages that were canceled before a device got
   * them.
   */
  list(
    userId: string,
    category: string | undefined,
    beforeId: string | undefined,
    limit: number,
  ): Promise<z.input<typeof message>[]>
  /** Returns at most `max` categories of the user's `recent` newest messages, sorted by name. */
  listCategories(userId: string, recent: number, max: number): Promise<string[]>
  /** Counts unread messages, up to `max`. */
  countUnread(userId: string, max: number): Promise<number>
  /** Marks this message and all earlier ones as read. Returns false if the user's inbox does not contain it. */
  markRead(userId: string, messageId: string): Promise<boolean>
}

/** Newest messages whose categories are offered as filters. */
const CATEGORY_MESSAGES = 500
const MAX_CATEGORIES = 100

/** Largest count that is shown. */
export const MAX_UNREAD = 100

export function createInbox(repo: InboxRepo) {
  return {
    /** Returns a page of the user's inbox, newest first, of all categories or of one. @throws as `readPage` */
    list: (userId: string, { category, ...page }: PageInput & { category?: string | undefined }) =>
      readPage(page, ({ beforeId, limit }) => repo.list(userId, category, beforeId, limit)),

    /** Returns the categories of the user's newest messages, sorted by name. */
    categories: (userId: string) => repo.listCategories(userId, CATEGORY_MESSAGES, MAX_CATEGORIES),

    /** Counts messages newer than the last one read, up to `MAX_UNREAD`. */
    unread: async (userId: string) => ({ count: await repo.countUnread(userId, MAX_UNREAD) }),

    /**
     * Marks this message and all earlier ones as read. Idempotent; never marks a message as unread.
     * @throws AppError NOT_FOUND
     */
    async markRead(userId: string, messageId: string): Promise<void> {
      if (!isId(messageId) || !(await repo.markRead(userId, messageId)))
        throw new AppError('NOT_FOUND', 'Message not found in your inbox.')
    },
  }
}
