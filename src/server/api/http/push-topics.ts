import { z } from 'zod'
import { isServerKey } from '../../domain/accounts/server-keys.ts'
import { checkTopicScope } from '../../domain/push/tokens/scopes.ts'
import { topic, topicInput } from '../../domain/push/topics/schema.ts'
import { ADMIN_ACTOR, tokenActor } from '../../kernel/audit.ts'
import { parseInput } from '../../kernel/validation.ts'
import { bearerToken } from '../access/credentials.ts'
import { recordCall } from './admin/record-call.ts'
import type { Call } from './endpoint.ts'
import { operation } from './operation.ts'

const PATH = '/api/push/topics/{topic}/users/{userId}'

/** Fields that both operations share. */
const subscription = {
  credentials: ['pushToken', 'adminSecret', 'serverKey'],
  scope: 'topics:write',
  params: { topic, userId: z.string() },
  errors: [400, 403],
} as const

export const subscribeUser = operation({
  ...subscription,
  route: `PUT ${PATH}`,
  summary: 'Subscribes a user to a topic. Idempotent.',
  responses: { 204: { description: 'The user is subscribed' } },
  handle: (call) => changeSubscription(call, 'add'),
})

export const unsubscribeUser = operation({
  ...subscription,
  route: `DELETE ${PATH}`,
  summary: "Ends a user's subscription to a topic. Idempotent.",
  responses: { 204: { description: 'The user is not subscribed' } },
  handle: (call) => changeSubscription(call, 'remove'),
})

type TopicCall = Call & { params: { topic: string; userId: string } }

async function changeSubscription(call: TopicCall, action: 'add' | 'remove') {
  const { services, request, address, params, leaveQueue } = call
  const credential = bearerToken(request)
  const change = async (actor: string) => {
    leaveQueue()
    const { topic } = parseInput(topicInput, { topic: params.topic })
    await services.push.topics[action](params.userId, topic, { actor, address })
  }
  if (isServerKey(credential)) {
    const admin = await services.adminAccess.authorize(request, address, {
      path: PATH,
      scope: subscription.scope,
    })
    return recordCall(call, admin, { target: { userId: params.userId }, status: () => 204 }, () =>
      change(admin.actor),
    )
  }
  const token = await services.pushAccess.reader(credential, address)
  if (token) checkTopicScope(token)
  await change(token ? tokenActor(token.id) : ADMIN_ACTOR)
}
