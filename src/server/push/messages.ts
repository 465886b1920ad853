import { sleep } from '../backoff.ts'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { viewOf } from './message.ts'
import type { CancelledBy, MessageRepo, PushCredential } from './ports.ts'
import type { MessageView } from './schema.ts'

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

/** Messages of a push token; of all for the administrator (`token` undefined). */
export function createMessages({ messages, onCancelled }: MessagesDeps) {
  /**
   * A message and its counts so far.
   * @throws AppError NOT_FOUND
   */
  async function find(id: string, token?: PushCredential): Promise<MessageView> {
    const message = isId(id) ? await messages.find(id) : null
    if (!message || (token !== undefined && message.pushTokenId !== token.id))
      throw new AppError('NOT_FOUND', 'There is no message with this id that this credential may see.')
    return viewOf(message)
  }

  return {
    find,

    /**
     * Cancels what has not been handed to a gateway. Returns when nothing more will be, and the counts are final; only a
     * gateway that does not answer can delay the counts further. Idempotent.
     * @throws AppError NOT_FOUND, CONFLICT
     */
    async cancel(id: string, by: CancelledBy): Promise<void> {
      await find(id, by.token)
      const result = await messages.cancel(id, by)
      if (result === 'completed' || result === 'unknown')
        throw new AppError(
          'CONFLICT',
          'This message is completed: all of it was handed to the gateways before. Nothing was cancelled.',
        )
      onCancelled(id)
      const deadline = performance.now() + CANCEL_WAIT_MS
      while ((await find(id, by.token)).status !== 'cancelled' && performance.now() < deadline)
        await sleep(POLL_MS)
    },
  }
}
