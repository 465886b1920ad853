import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { RateCounter } from '../rate-counter.ts'
import { contentOf, expiryOf } from './message.ts'
import { prepareMessage, rejectOversized } from './prepared-message.ts'
import type { MessageView, SendTestInput } from './schema.ts'
import { recipientsOf, type SendToUserDeps, sendToUser } from './send-to-user.ts'

/** Enough to try a message out, too few to send with. */
export const TESTS_PER_MINUTE = 10

export type SendTestDeps = SendToUserDeps & {
  clock: Clock
  /** Counts by user in windows of a minute. */
  tests: Pick<RateCounter, 'increment'>
}

/** Sends a message to the devices of the user who writes it, without a push token. */
export function createSendTest(deps: SendTestDeps) {
  const { devices, gateways, clock, tests } = deps

  /**
   * As a push to this user: opt-outs hold, it comes into the inbox and the audit log.
   * @throws AppError TOO_MANY_REQUESTS, PAYLOAD_TOO_LARGE, NOT_FOUND
   */
  return async function sendTest(
    userId: string,
    input: SendTestInput,
    address: string,
  ): Promise<MessageView> {
    const { count, secondsLeft } = await tests.increment(userId)
    if (count > TESTS_PER_MINUTE)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `You may send ${TESTS_PER_MINUTE} tests a minute. Nothing was sent; try again later.`,
        { retryAfterSeconds: secondsLeft },
      )
    const content = contentOf(input)
    const createdAt = clock.now()
    const message = { id: newId(), userId, content, createdAt, expiresAt: expiryOf(content, createdAt) }
    const prepared = prepareMessage(gateways, message)
    const recipients = await recipientsOf(devices, userId, content.category)
    await rejectOversized(prepared, recipients, () => devices.hasAny('web'))
    return sendToUser(deps, { ...message, sender: { id: null, userId, address } }, prepared, recipients)
  }
}
