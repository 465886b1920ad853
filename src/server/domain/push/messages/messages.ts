import { sleep } from '../../../kernel/backoff.ts'
import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { type PageInput, readPage } from '../../../kernel/page.ts'
import type { AdminBroadcastDetails, ListBroadcastsInput } from '../broadcasts/schema.ts'
import type { PushCredential } from '../tokens/push-tokens.ts'
import type { CancelledBy, MessageRepo } from './message-repo.ts'
import type { MessageView } from './schema.ts'
import { MAX_REASONS } from './schema.ts'
import { CHUNK_SIZE } from './send.ts'

/**
 * Maximum time that a cancellation waits for the replicas that are sending. They learn of it within a second; another
 * replica takes over a dead one's chunk after its lease of 10 s.
 */
const CANCEL_WAIT_MS = 15_000
const POLL_MS = 50

type MessagesDeps = {
  messages: MessageRepo
  /** Stops the pushes that this process has not handed to a gateway. */
  onCancelled(messageId: string): void
}

/** Creates the use cases of sent messages. With `token`, they are limited to messages that this push token sent. */
export function createMessages({ messages, onCancelled }: MessagesDeps) {
  /**
   * Returns a message and its counts so far.
   * @throws AppError NOT_FOUND
   */
  async function find(id: string, token?: PushCredential): Promise<MessageView> {
    const message = isId(id) ? await messages.find(id, token?.id) : null
    if (!message) throw messageNotFound()
    return message
  }

  /** Returns true if the message has its final counts or was deleted. */
  async function isCancelled(id: string): Promise<boolean> {
    const message = await messages.find(id)
    return !message || message.status === 'cancelled'
  }

  async function readFailures(id: string, page: PageInput) {
    const { items, nextCursor } = await readPage(
      page,
      ({ beforeId, limit }) => messages.listFailures(id, beforeId, limit),
      (cursor) => /^\d{1,18}$/.test(cursor),
    )
    return { items: items.map(({ id: _, ...failure }) => failure), nextCursor }
  }

  return {
    find,

    /** Returns a page of messages that this push token sent, newest first. @throws as `readPage` */
    list: (token: PushCredential, page: PageInput) =>
      readPage(page, ({ beforeId, limit }) => messages.listSentBy(token.id, beforeId, limit)),

    /**
     * Returns a page of broadcasts and scheduled messages of all push tokens, newest first. None for an unknown token.
     * @throws as `readPage`
     */
    listBroadcasts: ({ cursor, limit, ...search }: ListBroadcastsInput) =>
      readPage({ cursor, limit }, async (range) =>
        search.pushTokenId === undefined || isId(search.pushTokenId)
          ? messages.listBroadcasts({ ...search, ...range }, CHUNK_SIZE)
          : [],
      ),

    /** Returns a broadcast or scheduled message of any push token, with its failures. @throws AppError NOT_FOUND */
    async findBroadcast(id: string): Promise<AdminBroadcastDetails> {
      const broadcast = isId(id) ? await messages.findBroadcast(id, CHUNK_SIZE) : null
      if (!broadcast) throw messageNotFound()
      return { ...broadcast, failureCounts: await messages.countFailures(id, MAX_REASONS) }
    },

    /**
     * Returns a page of devices that a message failed for: the first 10,000, kept for 7 days.
     * @throws AppError NOT_FOUND; BAD_REQUEST if this service did not issue the cursor
     */
    async failures(id: string, token: PushCredential | undefined, page: PageInput) {
      await find(id, token)
      const { items, nextCursor } = await readFailures(id, page)
      return { items: items.map(({ user: _, ...failure }) => failure), nextCursor }
    },

    /** Returns the same page with the devices' users, for administrators. @throws as `failures` */
    async failuresWithUsers(id: string, page: PageInput) {
      await find(id)
      return readFailures(id, page)
    },

    /**
     * Cancels a message. Pushes already handed to a gateway cannot be recalled; the rest are never sent. Returns when
     * the counts are final, unless a gateway does not respond. Idempotent.
     * @throws AppError NOT_FOUND; CONFLICT if the message is completed
     */
    async cancel(id: string, by: CancelledBy): Promise<void> {
      await find(id, by.token)
      const result = await messages.cancel(id, by)
      if (result === 'notFound') throw messageNotFound()
      if (result === 'completed')
        throw new AppError(
          'CONFLICT',
          'Message already completed: the gateways have every push. Nothing was canceled.',
        )
      onCancelled(id)
      const deadline = performance.now() + CANCEL_WAIT_MS
      while (!(await isCancelled(id)) && performance.now() < deadline) await sleep(POLL_MS)
    },
  }
}

const messageNotFound = () =>
  new AppError('NOT_FOUND', 'Message not found, or this credential cannot read it.')
