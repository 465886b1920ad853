import { z } from 'zod'
import { checkTopicScope } from '../../domain/push/tokens/scopes.ts'
import { topic, topicInput } from '../../domain/push/topics/schema.ts'
import { parseInput } from '../../kernel/validation.ts'
import { bearerToken } from '../access/credentials.ts'
import type { Call } from './endpoint.ts'
import { operation } from './operation.ts'

/** Fields that both operations share. */
const subscription = {
  credentials: ['pushToken', 'adminSecret'],
  params: { topic, userId: z.string() },
  errors: [400, 403],
} as const

export const subscribeUser = operation(
  {
    ...subscription,
    route: 'PUT /api/push/topics/{topic}/users/{userId}',
    summary: 'Subscribes a user to a topic. Idempotent.',
    responses: { 204: { description: 'The user is subscribed' } },
  },
  (call) => changeSubscription(call, 'add'),
)

export const unsubscribeUser = operation(
  {
    ...subscription,
    route: 'DELETE /api/push/topics/{topic}/users/{userId}',
    summary: 'Ends the subscription of a user to a topic. Idempotent.',
    responses: { 204: { description: 'The user is not subscribed' } },
  },
  (call) => changeSubscription(call, 'remove'),
)

type TopicCall = Call & { params: { topic: string; userId: string } }

async function changeSubscription(
  { services, request, address, params, leaveQueue }: TopicCall,
  action: 'add' | 'remove',
) {
  const token = await services.pushAccess.reader(bearerToken(request), address)
  leaveQueue()
  if (token) checkTopicScope(token)
  const { topic } = parseInput(topicInput, { topic: params.topic })
  await services.push.topics[action](params.userId, topic, { token, address })
}
