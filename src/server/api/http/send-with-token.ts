import { formatCount } from '@pigeonhole/client/format'
import { z } from 'zod'
import type { Sender } from '../../domain/push/messages/message.ts'
import { messageOutput, type SendInput } from '../../domain/push/messages/schema.ts'
import { AppError } from '../../kernel/errors.ts'
import type { SendBudget } from '../access/send-rate.ts'
import type { MessageTarget } from '../services.ts'
import type { Call } from './endpoint.ts'

const MAX_KEY_LENGTH = 255
const KEY_LENGTH = `must have 1 to ${MAX_KEY_LENGTH} characters`

/** Headers of a send. */
export const sendHeaders = z.object({
  'Idempotency-Key': z.string().min(1, KEY_LENGTH).max(MAX_KEY_LENGTH, KEY_LENGTH).optional().meta({
    description: 'Repeating a key and body within 24 hours sends nothing and returns the first response.',
  }),
})

/** Responses of a send. */
export const sendResponses = {
  200: { description: 'Sent to the gateways, or a dry run', schema: messageOutput },
  202: { description: 'Accepted for sending in the background, or scheduled', schema: messageOutput },
}

type SendCall = Call & {
  requestHeaders(): z.output<typeof sendHeaders>
  body(): Promise<SendInput>
}

/**
 * Sends the push of a request with a push token, within the token's rate. `check` can reject the input.
 * @throws AppError as `push.send`; TOO_MANY_REQUESTS
 */
export async function sendWithToken(
  call: SendCall,
  sender: Omit<Sender, 'address'>,
  check?: (input: SendInput) => void,
) {
  const { push, pushAccess, metrics } = call.services
  const budget = await pushAccess.countSend(sender.id)
  Object.assign(call.headers, budgetHeaders(budget))
  if (budget.exceeded)
    throw new AppError(
      'TOO_MANY_REQUESTS',
      `This push token can send at most ${formatCount(budget.limit, 'time')} per minute. Nothing was sent. Try again later.`,
      { retryAfterSeconds: budget.resetSeconds },
    )
  const input = await call.body()
  check?.(input)
  const { 'Idempotency-Key': key } = call.requestHeaders()
  const { httpStatus, answer: body } = await push.send({ ...sender, address: call.address }, input, key)
  const { failures: _, ...counts } = body
  const target = targetOf(input)
  metrics.onMessage(target)
  call.log.info({ messageId: body.id, pushTokenId: sender.id, target, ...counts }, 'push message')
  return { status: httpStatus === 200 ? (200 as const) : (202 as const), body }
}

function targetOf({ dryRun, all, userIds, topic }: SendInput): MessageTarget {
  if (dryRun) return 'dry_run'
  if (all) return 'all'
  if (userIds) return 'users'
  return topic === undefined ? 'user' : 'topic'
}

/** Uses the names of the IETF draft on RateLimit headers, and the older `X-` names that more clients read. */
function budgetHeaders({ limit, remaining, resetSeconds }: SendBudget): Record<string, string> {
  const values = { limit, remaining, reset: resetSeconds }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`ratelimit-${name}`, String(value)],
      [`x-ratelimit-${name}`, String(value)],
    ]),
  )
}
