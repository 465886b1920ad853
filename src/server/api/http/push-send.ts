import { formatCount } from '@pigeonhole/client/format'
import { z } from 'zod'
import { messageOutput, type SendInput, sendInput } from '../../domain/push/messages/schema.ts'
import { AppError } from '../../kernel/errors.ts'
import { bearerToken } from '../access/credentials.ts'
import type { SendBudget } from '../access/send-rate.ts'
import type { MessageTarget } from '../services.ts'
import { operation } from './operation.ts'

const MAX_KEY_LENGTH = 255
const KEY_LENGTH = `must have 1 to ${MAX_KEY_LENGTH} characters`

export const sendPush = operation({
  route: 'POST /api/push/send',
  summary:
    "Sends a push to the token's owner, to `userId`, `userIds`, a `topic`, or everyone (`all`), now or at `sendAt`.",
  credentials: ['pushToken'],
  headers: z.object({
    'Idempotency-Key': z.string().min(1, KEY_LENGTH).max(MAX_KEY_LENGTH, KEY_LENGTH).optional().meta({
      description: 'Repeating a key and body within 24 hours sends nothing and returns the first response.',
    }),
  }),
  body: sendInput,
  responses: {
    200: { description: 'Sent to the gateways, or a dry run', schema: messageOutput },
    202: { description: 'Accepted for sending in the background, or scheduled', schema: messageOutput },
  },
  errors: [403, 404, 409],
  handle: async (call) => {
    const { push, pushAccess } = call.services
    const token = await pushAccess.sender(bearerToken(call.request), call.address)
    call.leaveQueue()
    const budget = await pushAccess.countSend(token.id)
    Object.assign(call.headers, budgetHeaders(budget))
    if (budget.exceeded)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `This push token can send at most ${formatCount(budget.limit, 'time')} per minute. Nothing was sent. Try again later.`,
        { retryAfterSeconds: budget.resetSeconds },
      )
    const input = await call.body()
    const { 'Idempotency-Key': key } = call.requestHeaders()
    const { httpStatus, answer: body } = await push.send({ ...token, address: call.address }, input, key)
    const { failures: _, ...counts } = body
    const target = targetOf(input)
    call.services.metrics.onMessage(target)
    call.log.info({ messageId: body.id, pushTokenId: token.id, target, ...counts }, 'push message')
    return { status: httpStatus === 200 ? 200 : 202, body }
  },
})

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
