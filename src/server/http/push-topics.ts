import type { Services } from '../container.ts'
import { topicInput } from '../push/schema.ts'
import { checkTopicScope } from '../push/scopes.ts'
import { parseInput } from '../validation.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import { type Answer, type Call, endpoint } from './endpoint.ts'

type Path = { topic: string; userId: string }

/** PUT /api/push/topics/{topic}/users/{userId}: subscribes the user; idempotent. */
export function handleSubscribe(
  request: Request,
  services: Promise<Services>,
  path: Path,
): Promise<Response> {
  return endpoint(request, services, (call) => change(call, path, 'add'))
}

/** DELETE /api/push/topics/{topic}/users/{userId}; idempotent. */
export function handleUnsubscribe(
  request: Request,
  services: Promise<Services>,
  path: Path,
): Promise<Response> {
  return endpoint(request, services, (call) => change(call, path, 'remove'))
}

async function change(
  { services, request, address }: Call,
  { topic, userId }: Path,
  how: 'add' | 'remove',
): Promise<Answer> {
  const token = await services.pushAccess.reader(bearerToken(request), address)
  if (token) checkTopicScope(token)
  await services.push.topics[how](userId, parseInput(topicInput, { topic }).topic, { token, address })
  return { status: 204 }
}
