// Makes one tRPC call, through the handler in this process or through fetch.

import type { ErrorData } from '../../../src/server/kernel/errors.ts'
import type { TestUser } from '../users.ts'

export type Answer = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  data: any
  error?: { message: string } & ErrorFields
}

type ErrorFields = {
  code: string
  fieldErrors?: Record<string, string[]>
  requestId?: string
} & ErrorData

/** Procedures that are queries; all others are mutations. */
const QUERIES = [
  'account.sessions',
  'account.signInMethods',
  'account.usage',
  'apiKeys.list',
  'devices.list',
  'devices.webPushKey',
  'files.downloadUrl',
  'files.list',
  'messages.failures',
  'passkeys.list',
  'messages.timeline',
  'files.totals',
  'files.trash',
  'messages.list',
  'messages.sent',
  'messages.status',
  'messages.unread',
  'preferences.get',
  'shares.list',
  'templates.list',
  'topics.list',
  'upload.limits',
  'upload.status',
]

export function trpcRequest(
  base: string,
  procedure: string,
  input?: unknown,
  headers: Record<string, string> = {},
): Request {
  const query = QUERIES.includes(procedure)
  const url = new URL(`/api/trpc/${procedure}`, base)
  if (query && input !== undefined) url.searchParams.set('input', JSON.stringify(input))
  return new Request(url, {
    method: query ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(!query && { body: JSON.stringify(input ?? {}) }),
  })
}

export async function callProcedure(
  send: (request: Request) => Promise<Response>,
  user: Pick<TestUser, 'headers'> | null,
  procedure: string,
  input?: unknown,
  base = 'http://app.test',
): Promise<Answer> {
  const response = await send(trpcRequest(base, procedure, input, user?.headers))
  const body = (await response.json()) as {
    result?: { data: unknown }
    error?: { message: string; data: ErrorFields }
  }
  return {
    status: response.status,
    data: body.result?.data,
    ...(body.error && { error: { message: body.error.message, ...body.error.data } }),
  }
}
