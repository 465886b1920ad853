// Everything that clients of the push API can do, called on one set of services in this process.

import {
  cancelPushMessage,
  getPushMessage,
  listPushFailures,
  listPushMessages,
} from '../../../src/server/api/http/push-messages.ts'
import { sendPush } from '../../../src/server/api/http/push-send.ts'
import { createPushToken, listPushTokens, revokePushToken } from '../../../src/server/api/http/push-tokens.ts'
import { subscribeUser, unsubscribeUser } from '../../../src/server/api/http/push-topics.ts'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import type { MessageView } from '../../../src/server/domain/push/messages/schema.ts'
import type { AppServices } from '../../../src/server/wiring/build-services.ts'
import { until, WAIT_MS } from '../until.ts'
import { ADMIN_SECRET } from './test-app.ts'
import { trpcRequest } from './trpc-call.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
export type Answer = { status: number; headers: Headers; data: any }

export function pushClient(services: AppServices) {
  const ready = Promise.resolve(services)
  const url = (path: string) => `http://127.0.0.1:3000${path}`
  const request = (method: string, path: string, bearer?: string, body?: unknown, headers = {}) =>
    new Request(url(path), {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        [CLIENT_ADDRESS_HEADER]: '192.0.2.1',
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })

  const createToken = async (body: unknown, secret: string | undefined = ADMIN_SECRET, headers = {}) =>
    answerOf(createPushToken(request('POST', '/api/push/token', secret, body, headers), ready))
  const send = (token: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    answerOf(sendPush(request('POST', '/api/push/send', token, body, headers), ready))
  const message = (bearer: string | undefined, id: string, headers = {}) =>
    answerOf(
      getPushMessage(request('GET', `/api/push/messages/${id}`, bearer, undefined, headers), ready, { id }),
    )

  const cancel = (bearer: string | undefined, id: string) =>
    answerOf(cancelPushMessage(request('DELETE', `/api/push/messages/${id}`, bearer), ready, { id }))

  const procedure = (user: { headers: Record<string, string> } | null, name: string, input?: unknown) =>
    answerOf(handleTrpc(trpcRequest(url('/'), name, input, user?.headers), ready))

  const topicUser = (method: 'PUT' | 'DELETE', bearer: string | undefined, topic: string, userId: string) => {
    const handle = method === 'PUT' ? subscribeUser : unsubscribeUser
    return answerOf(
      handle(request(method, `/api/push/topics/${topic}/users/${userId}`, bearer), ready, { topic, userId }),
    )
  }

  return {
    topicUser,
    createToken,
    send,
    message,
    cancel,
    messages: (bearer: string | undefined, query = '', headers = {}) =>
      answerOf(
        listPushMessages(request('GET', `/api/push/messages${query}`, bearer, undefined, headers), ready),
      ),
    failures: (bearer: string | undefined, id: string, query = '') =>
      answerOf(
        listPushFailures(request('GET', `/api/push/messages/${id}/failures${query}`, bearer), ready, { id }),
      ),
    listTokens: (query: string, secret: string | undefined = ADMIN_SECRET) =>
      answerOf(listPushTokens(request('GET', `/api/push/token${query}`, secret), ready)),
    revokeToken: (id: string, secret: string | undefined = ADMIN_SECRET) =>
      answerOf(revokePushToken(request('DELETE', `/api/push/token/${id}`, secret), ready, { id })),

    /** Creates a push token of this user and returns it. */
    async tokenOf(userId: string, more: object = {}): Promise<string> {
      const { status, data } = await createToken({ userId, name: 'test', ...more })
      if (status !== 200) throw new Error(`no push token: ${JSON.stringify(data)}`)
      return data.token
    },

    mutate: procedure,
    query: procedure,

    /** Returns the message once it is completed. */
    async completed(bearer: string, id: string, timeoutMs = WAIT_MS): Promise<MessageView> {
      let last: MessageView | undefined
      const isCompleted = async () => {
        last = (await message(bearer, id)).data
        return last?.status === 'completed'
      }
      await until('the message is completed', isCompleted, timeoutMs).catch((error) => {
        throw new Error(`${error.message}: ${JSON.stringify(last)}`)
      })
      return last!
    },
  }
}

async function answerOf(pending: Promise<Response>): Promise<Answer> {
  const response = await pending
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  // tRPC wraps results; its errors are returned as they are.
  return { status: response.status, headers: response.headers, data: json?.result?.data ?? json }
}
