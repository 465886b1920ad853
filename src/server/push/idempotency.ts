import { createHash } from 'node:crypto'
import { sleep } from '../backoff.ts'
import { AppError, isAppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { canonicalJson } from './canonical-json.ts'
import type { IdempotencyKeyRef, IdempotencyRepo } from './ports.ts'
import type { MessageView, SendInput } from './schema.ts'

export type SendResult = { httpStatus: number; answer: MessageView }

/** `known`: a first request with this id began the work; it may have been done already. */
export type Perform = (messageId: string, known: boolean) => Promise<SendResult>

/** How long a second request waits for the first one's answer. */
const WAIT_MS = 10_000
const POLL_MS = 100
/** Shorter than WAIT_MS, so that a request repeated after a crash takes over while it waits. */
const LEASE_MS = 6_000
const RETRY_AFTER_SECONDS = 5

export type OnceDeps = { keys: IdempotencyRepo; log: Logger; waitMs?: number }

/** Performs a send once for each Idempotency-Key of a push token, on however many replicas it arrives. */
export function createOnce({ keys, log, waitMs = WAIT_MS }: OnceDeps) {
  /** @throws AppError CONFLICT, and whatever `perform` throws */
  return async function once(
    pushTokenId: string,
    key: string,
    input: SendInput,
    perform: Perform,
  ): Promise<SendResult> {
    const bodyHash = createHash('sha256').update(canonicalJson(input)).digest('hex')
    const proposal = { pushTokenId, key, bodyHash, messageId: newId() }
    const deadline = performance.now() + waitMs
    for (;;) {
      const claim = await keys.claim(proposal, LEASE_MS)
      if (claim.kind === 'done') return claim
      if (claim.kind === 'otherBody')
        throw new AppError(
          'CONFLICT',
          'This Idempotency-Key was used with another body. Use a new key for a new push; nothing was sent.',
        )
      if (claim.kind === 'mine')
        return atWork({ ...proposal, messageId: claim.messageId }, claim.takenOver, perform)
      if (performance.now() + POLL_MS > deadline)
        throw new AppError(
          'CONFLICT',
          'The first request with this Idempotency-Key is still at work. Repeat it later to get its answer.',
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        )
      await sleep(POLL_MS)
    }
  }

  async function atWork(ref: IdempotencyKeyRef, known: boolean, perform: Perform): Promise<SendResult> {
    const heartbeat = setInterval(() => {
      keys
        .extend(ref, LEASE_MS)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not extend the lease of an idempotency key'),
        )
    }, LEASE_MS / 4)
    try {
      const result = await perform(ref.messageId, known)
      await keys.finish(ref, result.httpStatus, result.answer)
      return result
    } catch (error) {
      // A refusal has sent nothing. After any other fault the lease runs out, and a repeat carries on under
      // the same message id.
      if (isAppError(error) && error.code !== 'INTERNAL_SERVER_ERROR') await keys.forget(ref)
      throw error
    } finally {
      clearInterval(heartbeat)
    }
  }
}
