import { createHash } from 'node:crypto'
import { sleep } from '../backoff.ts'
import { AppError, isAppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { canonicalJson } from './canonical-json.ts'
import type { IdempotencyKeyRef, IdempotencyRepo } from './ports.ts'
import type { MessageView, SendInput } from './schema.ts'

export type SendResult = { httpStatus: number; answer: MessageView }

/** `takenOver`: an earlier request began the work under this id and may have done it already. */
export type Perform = (messageId: string, takenOver: boolean) => Promise<SendResult>

/** How long a second request waits for the first one's answer. */
const WAIT_MS = 10_000
const POLL_MS = 100
/** Shorter than WAIT_MS, so that a request repeated after a crash takes over within its wait. */
const LEASE_MS = 6_000
const RETRY_AFTER_SECONDS = 5

export type IdempotencyDeps = { keys: IdempotencyRepo; log: Logger; waitMs?: number }

/** Performs a send once for each Idempotency-Key of a push token, whichever replicas its requests reach. */
export function createIdempotency({ keys, log, waitMs = WAIT_MS }: IdempotencyDeps) {
  /**
   * `id`: of the message, if this request is the first with its key.
   * @throws AppError CONFLICT, and whatever `perform` throws
   */
  return async function once(
    pushTokenId: string,
    key: string,
    input: SendInput,
    id: string,
    perform: Perform,
  ): Promise<SendResult> {
    const bodyHash = createHash('sha256').update(canonicalJson(input)).digest('hex')
    const proposal = { pushTokenId, key, bodyHash, messageId: id }
    const deadline = performance.now() + waitMs
    for (;;) {
      const claim = await keys.claim(proposal, LEASE_MS)
      if (claim.kind === 'completed') return claim
      if (claim.kind === 'bodyMismatch')
        throw new AppError(
          'CONFLICT',
          'This Idempotency-Key was used with another body. Use a new key for a new push; nothing was sent.',
        )
      if (claim.kind === 'acquired')
        return performHolding({ ...proposal, messageId: claim.messageId }, claim.takenOver, perform)
      if (performance.now() + POLL_MS > deadline)
        throw new AppError(
          'CONFLICT',
          'The first request with this Idempotency-Key is still in progress. Repeat it later to get its answer.',
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        )
      await sleep(POLL_MS)
    }
  }

  async function performHolding(
    ref: IdempotencyKeyRef,
    takenOver: boolean,
    perform: Perform,
  ): Promise<SendResult> {
    const heartbeat = setInterval(() => {
      keys
        .extend(ref, LEASE_MS)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not extend the lease of an idempotency key'),
        )
    }, LEASE_MS / 4)
    try {
      const result = await perform(ref.messageId, takenOver)
      await keys.complete(ref, result.httpStatus, result.answer)
      return result
    } catch (error) {
      // A refused request has sent nothing. After any other error the lease runs out, and a repeated request takes
      // over under the same message id.
      if (isAppError(error) && error.code !== 'INTERNAL_SERVER_ERROR') await keys.release(ref)
      throw error
    } finally {
      clearInterval(heartbeat)
    }
  }
}
