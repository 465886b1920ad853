// Requests to the routes with unsupported methods.

import { describe, expect, test } from 'vitest'
import * as auditExport from '../../../src/app/api/admin/audit/export/route.ts'
import * as audit from '../../../src/app/api/admin/audit/route.ts'
import * as broadcastFailures from '../../../src/app/api/admin/broadcasts/[id]/failures/route.ts'
import * as broadcast from '../../../src/app/api/admin/broadcasts/[id]/route.ts'
import * as broadcasts from '../../../src/app/api/admin/broadcasts/route.ts'
import * as doctor from '../../../src/app/api/admin/doctor/route.ts'
import * as adminFile from '../../../src/app/api/admin/files/[id]/route.ts'
import * as adminFileUrl from '../../../src/app/api/admin/files/[id]/url/route.ts'
import * as adminFileVerdict from '../../../src/app/api/admin/files/[id]/verdict/route.ts'
import * as adminFiles from '../../../src/app/api/admin/files/route.ts'
import * as health from '../../../src/app/api/admin/health/route.ts'
import * as pushToken from '../../../src/app/api/admin/push-tokens/[id]/route.ts'
import * as pushTokenSend from '../../../src/app/api/admin/push-tokens/[id]/send/route.ts'
import * as pushTokens from '../../../src/app/api/admin/push-tokens/route.ts'
import * as serverKey from '../../../src/app/api/admin/server-keys/[id]/route.ts'
import * as serverKeys from '../../../src/app/api/admin/server-keys/route.ts'
import * as userTokens from '../../../src/app/api/admin/user-tokens/route.ts'
import * as userDevices from '../../../src/app/api/admin/users/[id]/devices/route.ts'
import * as passwordReset from '../../../src/app/api/admin/users/[id]/password-reset/route.ts'
import * as user from '../../../src/app/api/admin/users/[id]/route.ts'
import * as userSignOut from '../../../src/app/api/admin/users/[id]/sign-out/route.ts'
import * as users from '../../../src/app/api/admin/users/route.ts'
import * as redeliver from '../../../src/app/api/admin/webhooks/[id]/deliveries/[deliveryId]/redeliver/route.ts'
import * as deliveries from '../../../src/app/api/admin/webhooks/[id]/deliveries/route.ts'
import * as webhook from '../../../src/app/api/admin/webhooks/[id]/route.ts'
import * as webhookTest from '../../../src/app/api/admin/webhooks/[id]/test/route.ts'
import * as webhooks from '../../../src/app/api/admin/webhooks/route.ts'
import * as auth from '../../../src/app/api/auth/[...nextauth]/route.ts'
import * as live from '../../../src/app/api/health/live/route.ts'
import * as ready from '../../../src/app/api/health/ready/route.ts'
import * as metrics from '../../../src/app/api/metrics/route.ts'
import * as openapi from '../../../src/app/api/openapi.json/route.ts'
import * as nothing from '../../../src/app/api/push/[[...path]]/route.ts'
import * as failures from '../../../src/app/api/push/messages/[id]/failures/route.ts'
import * as message from '../../../src/app/api/push/messages/[id]/route.ts'
import * as messages from '../../../src/app/api/push/messages/route.ts'
import * as send from '../../../src/app/api/push/send/route.ts'
import * as tokenById from '../../../src/app/api/push/token/[id]/route.ts'
import * as token from '../../../src/app/api/push/token/route.ts'
import * as topicUser from '../../../src/app/api/push/topics/[topic]/users/[userId]/route.ts'
import * as trpc from '../../../src/app/api/trpc/[trpc]/route.ts'
import * as file from '../../../src/app/files/[id]/route.ts'
import * as thumbnail from '../../../src/app/files/[id]/thumbnail/route.ts'
import * as shareDownload from '../../../src/app/s/[token]/download/route.ts'
import * as share from '../../../src/app/s/[token]/route.ts'

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
  ['/api/push/messages', messages as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/push/messages/{id}/failures', failures as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/push/messages/{id}', message as unknown as Route, ['GET', 'HEAD', 'DELETE', 'OPTIONS']],
  ['/api/push/topics/{topic}/users/{userId}', topicUser as unknown as Route, ['PUT', 'DELETE', 'OPTIONS']],
  ['/api/admin/audit', audit as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/broadcasts', broadcasts as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/broadcasts/{id}', broadcast as unknown as Route, ['GET', 'HEAD', 'DELETE', 'OPTIONS']],
  ['/api/admin/doctor', doctor as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/admin/files', adminFiles as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/files/{id}', adminFile as unknown as Route, ['GET', 'HEAD', 'DELETE', 'OPTIONS']],
  ['/api/admin/files/{id}/url', adminFileUrl as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/files/{id}/verdict', adminFileVerdict as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/health', health as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/audit/export', auditExport as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/broadcasts/{id}/failures', broadcastFailures as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/users/{id}/password-reset', passwordReset as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/users/{id}/devices', userDevices as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/users/{id}/sign-out', userSignOut as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/webhooks/{id}/test', webhookTest as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/push-tokens', pushTokens as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/admin/push-tokens/{id}', pushToken as unknown as Route, ['DELETE', 'OPTIONS']],
  ['/api/admin/push-tokens/{id}/send', pushTokenSend as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/server-keys', serverKeys as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/admin/server-keys/{id}', serverKey as unknown as Route, ['DELETE', 'OPTIONS']],
  ['/api/admin/user-tokens', userTokens as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/admin/users', users as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/admin/users/{id}', user as unknown as Route, ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/admin/webhooks', webhooks as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/api/admin/webhooks/{id}', webhook as unknown as Route, ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/admin/webhooks/{id}/deliveries', deliveries as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/admin/.../redeliver', redeliver as unknown as Route, ['POST', 'OPTIONS']],
  ['/api/health/live', live as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/health/ready', ready as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/metrics', metrics as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/openapi.json', openapi as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/api/auth/*', auth as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/files/{id}', file as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/files/{id}/thumbnail', thumbnail as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
  ['/s/{token}', share as unknown as Route, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['/s/{token}/download', shareDownload as unknown as Route, ['GET', 'HEAD', 'OPTIONS']],
])('%s', (_, route, has) => {
  test.each(METHODS.filter((method) => !has.includes(method)))(
    '%s returns 405 with the supported methods',
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

  test('OPTIONS lists the supported methods', () => {
    const response = ask(route, 'OPTIONS')
    expect([response.status, response.headers.get('allow')]).toEqual([204, has.join(', ')])
  })
})

test.each([...METHODS, 'OPTIONS'] as const)('an unknown path returns 404 as JSON to %s', async (method) => {
  const response = ask(nothing, method)
  expect(response.status).toBe(404)
  expect((await response.json()).error.code).toBe('NOT_FOUND')
})

test.each(['PUT', 'PATCH', 'DELETE'] as const)(
  'a procedure returns 405 with the supported methods to %s',
  async (method) => {
    const response = ask(trpc as unknown as Route, method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    expect((await response.json()).error.code).toBe('METHOD_NOT_ALLOWED')
  },
)
