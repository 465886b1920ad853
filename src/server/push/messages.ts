import { sleep } from '../backoff.ts'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { viewOf } from './message.ts'
import { type Page, pageOf, wrongCursor } from './page.ts'
import type {
  AdminBroadcast,
  CancelledBy,
  FailureItem,
  MessageRepo,
  PushCredential,
  SentItem,
} from './ports.ts'
import type { MessageView, PageInput } from './schema.ts'
import { CHUNK_SIZE } from './send.ts'

/**
 * How long a cancellation waits for the replicas that are sending: they hear of it within a second, and a chunk whose
 * replica has died is taken over after its lease of 10 s.
 */
const CANCEL_WAIT_MS = 15_000
const POLL_MS = 50

export type MessagesDeps = {
  messages: MessageRepo
  /** Stops the sends of this process that have not been handed to a gateway. */
  onCancelled(messageId: string): void
}

/** Messages of a push token; of all for the administrator and who was checked before (`token` undefined). */
export function createMessages({ messages, onCancelled }: MessagesDeps) {
  /**
   * A message and its counts so far.
   * @throws AppError NOT_FOUND
   */
  async function find(id: string, token?: PushCredential): Promise<MessageView> {
    const message = isId(id) ? await messages.find(id) : null
    if (!message || (token !== undefined && message.pushTokenId !== token.id)) throw notFound()
    return viewOf(message)
  }

  /** Cancelled with its last counts, or deleted since. */
  async function isOver(id: string): Promise<boolean> {
    const message = await messages.find(id)
    return !message || message.status === 'cancelled'
  }

  return {
    find,

    /**
     * What this push token has sent, newest first.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async list(token: PushCredential, { cursor, limit }: PageInput): Promise<Page<SentItem>> {
      if (cursor !== undefined && !isId(cursor)) throw wrongCursor()
      const found = await messages.listSentBy(token.id, cursor, limit + 1)
      const items = found.map(({ title, createdAt, ...message }) => ({
        ...viewOf(message),
        title,
        createdAt,
      }))
      return pageOf(items, limit)
    },

    /**
     * Broadcasts and scheduled messages of all push tokens, newest first, for administrators.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async listBroadcasts({ cursor, limit }: PageInput): Promise<Page<AdminBroadcast>> {
      if (cursor !== undefined && !isId(cursor)) throw wrongCursor()
      return pageOf(await messages.listBroadcasts(cursor, limit + 1, CHUNK_SIZE), limit)
    },

    /**
     * The devices that a message failed for: the first 10,000, for 7 days.
     * @throws AppError NOT_FOUND, BAD_REQUEST
     */
    async failures(
      id: string,
      token: PushCredential | undefined,
      { cursor, limit }: PageInput,
    ): Promise<Page<Omit<FailureItem, 'id'>>> {
      await find(id, token)
      if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw wrongCursor()
      const { items, nextCursor } = pageOf(await messages.listFailures(id, cursor, limit + 1), limit)
      return { items: items.map(({ id: _, ...failure }) => failure), nextCursor }
    },

    /**
     * Cancels what has not been handed to a gateway. Returns when nothing more will be, and the counts are final; only a
     * gateway that does not answer can delay the counts further. Idempotent.
     * @throws AppError NOT_FOUND, CONFLICT
     */
    async cancel(id: string, by: CancelledBy): Promise<void> {
      await find(id, by.token)
      const result = await messages.cancel(id, by)
      if (result === 'notFound') throw notFound()
      if (result === 'completed')
        throw new AppError(
          'CONFLICT',
          'This message is completed: all of it was handed to the gateways before. Nothing was cancelled.',
        )
      onCancelled(id)
      const deadline = performance.now() + CANCEL_WAIT_MS
      while (!(await isOver(id)) && performance.now() < deadline) await sleep(POLL_MS)
    },
  }
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no message with this id that this credential may see.')
}
