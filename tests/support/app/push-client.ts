// Everything that clients of the push API can do, against one container in this process.

import type { Services } from '../../../src/server/container.ts'
import {
  handleCancel,
  handleFailures,
  handleMessage,
  handleMessages,
} from '../../../src/server/http/push-messages.ts'
import { handleSend } from '../../../src/server/http/push-send.ts'
import {
  handleCreateToken,
  handleListTokens,
  handleRevokeToken,
} from '../../../src/server/http/push-tokens.ts'
import { handleSubscribe, handleUnsubscribe } from '../../../src/server/http/push-topics.ts'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/http/request-info.ts'
import type { MessageView } from '../../../src/server/push/schema.ts'
import { handleTrpc } from '../../../src/server/trpc/handler.ts'
import { until } from '../until.ts'
import { ADMIN_SECRET } from './test-app.ts'
import { trpcRequest } from './trpc-call.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers, read by a test
export type Answer = { status: number; headers: Headers; data: any }

export function pushClient(services: Services) {
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
    answerOf(handleCreateToken(request('POST', '/api/push/token', secret, body, headers), ready))
  const send = (token: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    answerOf(handleSend(request('POST', '/api/push/send', token, body, headers), ready))
  const message = (bearer: string | undefined, id: string, headers = {}) =>
    answerOf(handleMessage(request('GET', `/api/push/messages/${id}`, bearer, undefined, headers), ready, id))

  const cancel = (bearer: string | undefined, id: string) =>
    answerOf(handleCancel(request('DELETE', `/api/push/messages/${id}`, bearer), ready, id))

  const procedure = (user: { headers: Record<string, string> } | null, name: string, input?: unknown) =>
    answerOf(handleTrpc(trpcRequest(url('/'), name, input, user?.headers), ready))

  const topicUser = (method: 'PUT' | 'DELETE', bearer: string | undefined, topic: string, userId: string) => {
    const handle = method === 'PUT' ? handleSubscribe : handleUnsubscribe
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
        handleMessages(request('GET', `/api/push/messages${query}`, bearer, undefined, headers), ready),
      ),
    failures: (bearer: string | undefined, id: string, query = '') =>
      answerOf(
        handleFailures(request('GET', `/api/push/messages/${id}/failures${query}`, bearer), ready, id),
      ),
    listTokens: (query: string, secret: string | undefined = ADMIN_SECRET) =>
      answerOf(handleListTokens(request('GET', `/api/push/token${query}`, secret), ready)),
    revokeToken: (id: string, secret: string | undefined = ADMIN_SECRET) =>
      answerOf(handleRevokeToken(request('DELETE', `/api/push/token/${id}`, secret), ready, id)),

    /** A raw push token of this user. */
    async tokenOf(userId: string, more: object = {}): Promise<string> {
      const { status, data } = await createToken({ userId, name: 'test', ...more })
      if (status !== 200) throw new Error(`no push token: ${JSON.stringify(data)}`)
      return data.token
    },

    mutate: procedure,
    query: procedure,

    /** The message as soon as it is completed. */
    async completed(bearer: string, id: string, timeoutMs = 20_000): Promise<MessageView> {
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
  // tRPC wraps a result; its errors are looked at whole.
  return { status: response.status, headers: response.headers, data: json?.result?.data ?? json }
}
