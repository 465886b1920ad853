import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type FcmEmulator, startFcm } from '../src/fcm/emulator.ts'

const PROJECT = 'test-project'

let fcm: FcmEmulator

beforeAll(async () => {
  fcm = await startFcm({
    projectId: PROJECT,
    validAccessTokens: ['good'],
  })
})
afterEach(() => {
  fcm.faults.reset()
  fcm.requestLog.clear()
})
afterAll(async () => {
  await fcm.close()
})

type Sent = {
  status: number
  headers: Headers
  body: {
    name?: string
    error?: { code: number; status: string; message: string; details?: Array<Record<string, unknown>> }
  }
}

async function send(
  body: unknown,
  { authorization = 'Bearer good' as string | null, project = PROJECT, method = 'POST' } = {},
): Promise<Sent> {
  const response = await fetch(`${fcm.url}/v1/projects/${project}/messages:send`, {
    method,
    headers: authorization ? { authorization, 'content-type': 'application/json' } : {},
    body: method === 'GET' ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Sent['body'] }
}

const hello = { message: { token: 'device-1', notification: { title: 'a', body: 'b' } } }
const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
})

describe('a valid message', () => {
  test('gets its name, and appears in the request log with names in snake case', async () => {
    const response = await send({
      message: {
        token: 'device-1',
        data: { k: 'v', collapse_key: 'allowed' },
        notification: { title: 'Grüße', body: 'b' },
        android: { collapseKey: 'news', priority: 'high', ttl: '3600s', notification: { tag: 't1' } },
      },
    })
    expect(response.status).toBe(200)
    expect(response.body.name).toMatch(/^projects\/test-project\/messages\/0:\d+%[0-9a-f]{16}$/)
    expect(fcm.requestLog.accepted).toMatchObject([
      {
        seq: 1,
        token: 'device-1',
        name: response.body.name,
        collapseId: 'news',
        tag: 't1',
        payload: { data: { k: 'v' }, android: { collapse_key: 'news', priority: 'HIGH', ttl: '3600s' } },
      },
    ])
  })

  test('is not delivered with validate_only', async () => {
    expect(await send({ ...hello, validate_only: true })).toMatchObject({
      status: 200,
      body: { name: 'projects/test-project/messages/fake_message_id' },
    })
    expect(fcm.requestLog.counts.accepted).toBe(0)
  })

  test.each([
    [1, 4051],
    [2, 4045],
    [3, 4039],
  ])('can have %i entries of data with %i bytes of keys and values', async (entries, bytes) => {
    const data = (more: number) =>
      Object.fromEntries(
        ['a', 'b', 'c']
          .slice(0, entries)
          .map((key, n) => [key, n === 0 ? 'x'.repeat(bytes + more - 1 - (entries - 1) * 6) : 'value']),
      )
    expect((await send({ message: { token: 't', data: data(0) } })).status).toBe(200)
    expect((await send({ message: { token: 't', data: data(1) } })).status).toBe(400)
  })

  test('keeps a key named __proto__', async () => {
    await send(`{"message":{"token":"t","data":{"__proto__":"x"}}}`)
    const { data } = fcm.requestLog.acceptedFor('t').at(-1)!.payload as { data: object }
    expect(Object.entries(data)).toEqual([['__proto__', 'x']])
  })
})

describe('INVALID_ARGUMENT (400)', () => {
  const violation = (field: string, part: string) => ({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field, description: expect.stringContaining(part) }],
  })
  const message = (fields: object) => ({ message: { token: 't', ...fields } })
  test.each<[what: string, body: unknown, field: string, part: string]>([
    ['no JSON', '{"message":', '', 'Invalid JSON payload received.'],
    ['unknown name', { ...hello, x: 1 }, '', 'Unknown name "x": Cannot find field.'],
    [
      'unknown name inside',
      message({ notification: { titel: 'x' } }),
      'message.notification',
      `Unknown name "titel" at 'message.notification'`,
    ],
    [
      'number in data',
      message({ data: { a: 'b', n: 12 } }),
      'message.data[1].value',
      `Invalid value at 'message.data[1].value' (TYPE_STRING), 12`,
    ],
    [
      'object in data',
      message({ data: { o: { p: 1 } } }),
      'message.data[0].value',
      `Unknown name "p" at 'message.data[0].value'`,
    ],
    ['number as title', message({ notification: { title: 5 } }), 'message.notification.title', 'TYPE_STRING'],
    ['ttl as number', message({ android: { ttl: 60 } }), 'message.android.ttl', 'google.protobuf.Duration'],
    [
      'ttl without unit',
      message({ android: { ttl: '60' } }),
      'message.android.ttl',
      'google.protobuf.Duration',
    ],
    ['ttl over four weeks', message({ android: { ttl: '2419201s' } }), 'message.android.ttl', 'TTL'],
    [
      'priority',
      message({ android: { priority: 'urgent' } }),
      'message.android.priority',
      'AndroidMessagePriority',
    ],
    ['key from', message({ data: { from: 'x' } }), 'message.data[0].key', 'Invalid data payload key: from'],
    [
      'key message_type',
      message({ data: { message_type: 'x' } }),
      'message.data[0].key',
      'Invalid data payload key',
    ],
    [
      'key google.x',
      message({ data: { a: '', 'google.x': 'x' } }),
      'message.data[1].key',
      'Invalid data payload key',
    ],
    [
      'key gcm',
      message({ android: { data: { gcm_x: 'x' } } }),
      'message.android.data[0].key',
      'Invalid data payload key',
    ],
    ['too many bytes', message({ data: { k: 'é'.repeat(2026) } }), 'message', 'too big'],
    ['no message', {}, 'message', 'Message is not set.'],
    ['no recipient', { message: {} }, 'message', 'Recipient of the message is not set.'],
    ['two recipients', message({ topic: 'news' }), 'message', 'Exactly one'],
  ])('is the response to: %s', async (_, body, field, part) => {
    const { status, body: response } = await send(body)
    expect(status).toBe(400)
    expect(response.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect(response.error?.details).toContainEqual(violation(field, part))
    expect(fcm.requestLog.counts).toMatchObject({ accepted: 0, rejected: 1 })
  })

  test('has only FcmError for a malformed token, as documented', async () => {
    const { status, body } = await send({ message: { token: 'has space' } })
    expect({ status, details: body.error?.details }).toEqual({
      status: 400,
      details: [fcmError('INVALID_ARGUMENT')],
    })
    expect(body.error?.message).toBe('The registration token is not a valid FCM registration token')
  })

  test('names several faults together', async () => {
    const { body } = await send({ message: { token: 't', a: 1, data: { n: 1 } } })
    expect(body.error?.message.split('\n')).toHaveLength(2)
  })
})

describe('errors that do not concern the message', () => {
  test.each([
    ['no credential', { authorization: null }, 401, 'UNAUTHENTICATED', 'CREDENTIALS_MISSING'],
    ['unknown token', { authorization: 'Bearer bad' }, 401, 'UNAUTHENTICATED', 'ACCESS_TOKEN_INVALID'],
    ['another project', { project: 'other' }, 404, 'NOT_FOUND', 'NOT_FOUND'],
    ['a project with invalid characters', { project: '%zz' }, 404, 'NOT_FOUND', 'NOT_FOUND'],
    ['GET', { method: 'GET' }, 404, 'NOT_FOUND', 'NOT_FOUND'],
  ])('%s gets its own status', async (_, options, code, status, reason) => {
    const response = await send(hello, options)
    expect(response.body.error).toMatchObject({ code, status })
    expect(JSON.stringify(response.body)).not.toContain('FcmError')
    expect(fcm.requestLog.counts.rejectedByReason).toEqual({ [reason]: 1 })
  })

  test.each([
    ['UNREGISTERED', 404, 'NOT_FOUND'],
    ['SENDER_ID_MISMATCH', 403, 'PERMISSION_DENIED'],
    ['QUOTA_EXCEEDED', 429, 'RESOURCE_EXHAUSTED'],
    ['UNAVAILABLE', 503, 'UNAVAILABLE'],
    ['INTERNAL', 500, 'INTERNAL'],
    ['THIRD_PARTY_AUTH_ERROR', 401, 'UNAUTHENTICATED'],
  ])('a fault responds with %s', async (reason, code, status) => {
    fcm.faults.add({ device: 'device-1', do: { kind: 'reject', reason } })
    const { body, headers } = await send(hello)
    expect(body.error).toMatchObject({ code, status, details: [fcmError(reason)] })
    expect(headers.get('retry-after')).toBeNull()
  })

  test('a fault sends Retry-After, and the next response is normal', async () => {
    fcm.faults.add({ first: 1, do: { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 7 } })
    expect((await send(hello)).headers.get('retry-after')).toBe('7')
    expect(await send(hello)).toMatchObject({ status: 200 })
  })

  test('a push to a device without the app gets UNREGISTERED', async () => {
    fcm.devices.unregister('gone')
    const { status, body } = await send({ message: { token: 'gone' } })
    expect({ status, details: body.error?.details }).toEqual({
      status: 404,
      details: [fcmError('UNREGISTERED')],
    })
  })
})
