import { type Clock, secondsAfter } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { countUpTo, type RateCounter } from '../../../kernel/rate-counter.ts'
import { recipientsOf, type SendToUserDeps, sendToUser } from '../delivery/send-to-user.ts'
import { contentOf } from './message.ts'
import { prepareMessage, rejectOversized } from './prepared-message.ts'
import type { SendTestInput } from './schema.ts'

/** Enough to try out a message, but too few for regular sending. */
export const TESTS_PER_MINUTE = 10

/** Messages and their audit entries stay for 35 days. */
const TESTS_PER_DAY = 500

export type SendTestDeps = SendToUserDeps & {
  clock: Clock
  /** Counts by user in windows of a minute. */
  tests: Pick<RateCounter, 'increment'>
  /** Counts by user and day. */
  testsOfDay: Pick<RateCounter, 'increment'>
}

export function createSendTest(deps: SendTestDeps) {
  const { devices, apps, clock, tests, testsOfDay } = deps

  /**
   * Sends a message to the caller's own devices, without a push token. As for any push, opt-outs apply, and the inbox
   * and the audit log get an entry.
   * @throws AppError BAD_REQUEST, TOO_MANY_REQUESTS, PAYLOAD_TOO_LARGE, NOT_FOUND
   */
  return async function sendTest(userId: string, input: SendTestInput, address: string) {
    apps.requireKnown('apps', input.apps ?? [])
    const tooMany = (limit: string) => `You can send at most ${limit}. Nothing was sent. Try again later.`
    await countUpTo(TESTS_PER_MINUTE, tests, userId, tooMany(`${TESTS_PER_MINUTE} tests per minute`))
    await countUpTo(TESTS_PER_DAY, testsOfDay, userId, tooMany(`${TESTS_PER_DAY} tests per day`))
    const content = contentOf(input)
    const createdAt = clock.now()
    const expiresAt = secondsAfter(createdAt, content.ttlSeconds)
    const message = { id: newId(), userId, content, createdAt, expiresAt }
    const prepared = prepareMessage(apps, message)
    const recipients = await recipientsOf(devices, userId, content)
    await rejectOversized(prepared, recipients, () => devices.hasAny('web'))
    return sendToUser(deps, { ...message, sender: { id: null, userId, address } }, prepared, recipients)
  }
}
