// The push routes, asked for what they do not have.

import { describe, expect, test } from 'vitest'
import * as nothing from '../../src/app/api/push/[[...path]]/route.ts'
import * as message from '../../src/app/api/push/messages/[id]/route.ts'
import * as send from '../../src/app/api/push/send/route.ts'
import * as tokenById from '../../src/app/api/push/token/[id]/route.ts'
import * as token from '../../src/app/api/push/token/route.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Handler = (request: Request) => Response
type Route = Partial<Record<(typeof METHODS)[number] | 'OPTIONS', Handler>>

const ask = (route: Route, method: keyof Route) =>
  route[method]!(
    new Request('http://x/api/push/x', { method, headers: { 'x-request-id': 'the-id-of-the-request' } }),
  )

describe.each<[string, Route, string[]]>([
  ['/api/push/send', send as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/push/token', token as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/push/token/{id}', tokenById as unknown as Route, ['DELETE', 'OPTIONS']],
  ['/api/push/messages/{id}', message as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
])('%s', (_, route, has) => {
  test.each(METHODS.filter((method) => !has.includes(method)))(
    '%s: 405, and what there is',
    async (method) => {
      const response = ask(route, method)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe(has.join(', '))
      expect(await response.json()).toEqual({
        error: { code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(has.join(', ')) },
        requestId: 'the-id-of-the-request',
      })
    },
  )

  test('OPTIONS: what there is', () => {
    const response = ask(route, 'OPTIONS')
    expect([response.status, response.headers.get('allow')]).toEqual([204, has.join(', ')])
  })
})

test.each([...METHODS, 'OPTIONS'] as const)('a path that is none, %s: 404 as JSON', async (method) => {
  const response = ask(nothing, method)
  expect(response.status).toBe(404)
  expect((await response.json()).error.code).toBe('NOT_FOUND')
})
