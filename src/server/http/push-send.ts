import type { Services } from '../container.ts'
import { AppError } from '../errors.ts'
import { type SendInput, sendInput } from '../push/schema.ts'
import type { MessageTarget } from '../telemetry/metrics.ts'
import { parseInput } from '../validation.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import type { SendBudget } from './authentication/send-rate.ts'
import { readJson } from './body.ts'
import { endpoint } from './endpoint.ts'

const MAX_KEY_LENGTH = 255
const EXAMPLE = { title: 'Hello', body: 'World' }

/** POST /api/push/send */
export function handleSend(request: Request, services: Promise<Services>): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const { push, pushAccess } = call.services
    const token = await pushAccess.sender(bearerToken(request), call.address)
    const budget = await pushAccess.countSend(token.id)
    Object.assign(call.headers, budgetHeaders(budget))
    if (budget.exceeded)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `This push token may send ${budget.limit} times a minute. Nothing was sent; try again later.`,
        { retryAfterSeconds: budget.resetSeconds },
      )
    const input = parseInput(sendInput, await readJson(request, EXAMPLE))
    const { httpStatus, answer } = await push.send(
      { ...token, address: call.address },
      input,
      idempotencyKey(request),
    )
    const { failures: _, ...counts } = answer
    const target = targetOf(input)
    call.services.metrics.onMessage(target)
    call.log.info({ messageId: answer.id, pushTokenId: token.id, target, ...counts }, 'push message')
    return { status: httpStatus, body: answer }
  })
}

function targetOf({ dryRun, all, userIds, topic }: SendInput): MessageTarget {
  if (dryRun) return 'dry_run'
  if (all) return 'all'
  if (userIds) return 'users'
  return topic === undefined ? 'user' : 'topic'
}

/** The names of draft-ietf-httpapi-ratelimit-headers, and the older `X-` names that more clients read. */
function budgetHeaders({ limit, remaining, resetSeconds }: SendBudget): Record<string, string> {
  const values = { limit, remaining, reset: resetSeconds }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`ratelimit-${name}`, String(value)],
      [`x-ratelimit-${name}`, String(value)],
    ]),
  )
}

function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length < 1 || key.length > MAX_KEY_LENGTH)
    throw new AppError('BAD_REQUEST', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`, {
      fieldErrors: { 'Idempotency-Key': [`must have 1 to ${MAX_KEY_LENGTH} characters`] },
    })
  return key
}
