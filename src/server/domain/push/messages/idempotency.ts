import { createHash } from 'node:crypto'
import { sleep } from '../../../kernel/backoff.ts'
import { AppError, isAppError } from '../../../kernel/errors.ts'
import type { Logger } from '../../../kernel/log.ts'
import type { MessageView, SendInput } from './schema.ts'

/** Returns JSON with sorted names, which is equal for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

type KeyRef = { pushTokenId: string; key: string; bodyHash: string; messageId: string }

export type SendResult = { httpStatus: number; answer: MessageView }

export type IdempotencyRepo = {
  /** `messageId` is for a new key. A request that takes over from an earlier one gets that one's ID. */
  claim(
    ref: KeyRef,
    leaseMs: number,
  ): Promise<
    /** `takenOver`: an earlier request began the send, but its lease expired. */
    | { kind: 'acquired'; messageId: string; takenOver: boolean }
    | ({ kind: 'completed' } & SendResult)
    | { kind: 'inProgress' }
    | { kind: 'bodyMismatch' }
  >
  extend(ref: KeyRef, leaseMs: number): Promise<void>
  complete(ref: KeyRef, httpStatus: number, answer: MessageView): Promise<void>
  /** Makes the key usable again after a request that sent nothing. */
  release(ref: KeyRef): Promise<void>
}

/** Sends. `takenOver`: an earlier request began to send under this ID and may have finished. */
type Perform = (messageId: string, takenOver: boolean) => Promise<SendResult>

/** Maximum time that a second request waits for the first one's response. */
const WAIT_MS = 10_000
const POLL_MS = 100
/** Shorter than WAIT_MS, so that a request repeated after a crash takes over within its wait. */
const LEASE_MS = 6_000
const RETRY_AFTER_SECONDS = 5

/** Performs a send once for each Idempotency-Key of a push token, across all replicas. */
export function createIdempotency({ keys, log }: { keys: IdempotencyRepo; log: Logger }) {
  /**
   * `newId`: ID of the message if this request is the first with its key.
   * @throws AppError CONFLICT, and the errors of `perform`
   */
  return async function once(
    pushTokenId: string,
    key: string,
    input: SendInput,
    newId: string,
    perform: Perform,
  ): Promise<SendResult> {
    const bodyHash = createHash('sha256').update(canonicalJson(input)).digest('hex')
    const ref = { pushTokenId, key, bodyHash, messageId: newId }
    const deadline = performance.now() + WAIT_MS
    for (;;) {
      const claim = await keys.claim(ref, LEASE_MS)
      if (claim.kind === 'completed') return claim
      if (claim.kind === 'bodyMismatch')
        throw new AppError(
          'CONFLICT',
          'This Idempotency-Key was used with another body. Use a new key for a new push. Nothing was sent.',
        )
      if (claim.kind === 'acquired')
        return performWithLease({ ...ref, messageId: claim.messageId }, claim.takenOver, perform)
      if (performance.now() + POLL_MS > deadline)
        throw new AppError(
          'CONFLICT',
          'The first request with this Idempotency-Key is still running. Repeat it later to get its response.',
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        )
      await sleep(POLL_MS)
    }
  }

  async function performWithLease(ref: KeyRef, takenOver: boolean, perform: Perform): Promise<SendResult> {
    const onError = (err: unknown) => log.warn({ err }, 'could not extend the lease of an idempotency key')
    const heartbeat = setInterval(() => keys.extend(ref, LEASE_MS).catch(onError), LEASE_MS / 4)
    try {
      const result = await perform(ref.messageId, takenOver)
      await keys.complete(ref, result.httpStatus, result.answer)
      return result
    } catch (error) {
      // A rejected request sent nothing. After any other error the lease expires, and a repeated request takes over
      // with the same message ID.
      if (isAppError(error) && error.code !== 'INTERNAL_SERVER_ERROR') await keys.release(ref)
      throw error
    } finally {
      clearInterval(heartbeat)
    }
  }
}
