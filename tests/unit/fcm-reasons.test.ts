import { expect, test } from 'vitest'
import { errorIn, outcomeOf } from '../../src/server/adapters/fcm/reasons.ts'

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'

/** Returns an error body like those of FCM HTTP v1. */
function body(status: string, errorCode?: string, field?: string) {
  const details: object[] = []
  if (errorCode) details.push({ '@type': FCM_ERROR, errorCode })
  if (field) details.push({ '@type': BAD_REQUEST, fieldViolations: [{ field, description: 'Invalid.' }] })
  return { error: { code: 400, message: 'Some text.', status, ...(details.length > 0 && { details }) } }
}

const outcome = (status: number, answer?: object, retryAfterMs?: number) =>
  outcomeOf(errorIn(status, answer as Record<string, unknown>, retryAfterMs))

/** Status, RPC status, errorCode and meaning for the device. Source: Firebase, "ErrorCode" of FCM HTTP v1. */
const TABLE: Array<[number, string, string, object]> = [
  [400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', { kind: 'rejected' }],
  [401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR', { kind: 'rejected' }],
  [403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH', { kind: 'suspect' }],
  [404, 'NOT_FOUND', 'UNREGISTERED', { kind: 'gone' }],
  [429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', { kind: 'retry', afterMs: 60_000, assumed: true }],
  [500, 'INTERNAL', 'INTERNAL', { kind: 'retry' }],
  [500, 'UNKNOWN', 'UNSPECIFIED_ERROR', { kind: 'retry' }],
  [503, 'UNAVAILABLE', 'UNAVAILABLE', { kind: 'retry' }],
]

test.each(TABLE)('%i %s with FcmError %s', (status, rpcStatus, errorCode, expected) => {
  expect(outcome(status, body(rpcStatus, errorCode))).toEqual({ reason: errorCode, ...expected })
})

test('INVALID_ARGUMENT that names the token is suspect, with or without FcmError', () => {
  const expected = { kind: 'suspect', reason: 'INVALID_ARGUMENT' }
  expect(outcome(400, body('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'message.token'))).toEqual(expected)
  expect(outcome(400, body('INVALID_ARGUMENT', undefined, 'message.token'))).toEqual(expected)
})

test('INVALID_ARGUMENT whose message names the registration token is suspect: the current form has no field violation', () => {
  const answer = body('INVALID_ARGUMENT', 'INVALID_ARGUMENT')
  answer.error.message = 'The registration token is not a valid FCM registration token'
  expect(outcome(400, answer)).toEqual({ kind: 'suspect', reason: 'INVALID_ARGUMENT' })
})

test('INVALID_ARGUMENT that names something else does not affect the device', () => {
  const expected = { kind: 'rejected', reason: 'INVALID_ARGUMENT' }
  expect(outcome(400, body('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'message.android.ttl'))).toEqual(expected)
  expect(outcome(400, body('INVALID_ARGUMENT'))).toEqual(expected)
})

/** A wrong project or missing role on our side must not affect any device. */
test.each([
  ['wrong project', 404, 'NOT_FOUND', { kind: 'rejected', reason: 'NOT_FOUND' }],
  ['missing role', 403, 'PERMISSION_DENIED', { kind: 'rejected', reason: 'PERMISSION_DENIED' }],
  ['rejected access token', 401, 'UNAUTHENTICATED', { kind: 'retry', reason: 'UNAUTHENTICATED' }],
  [
    'quota without detail',
    429,
    'RESOURCE_EXHAUSTED',
    { kind: 'retry', reason: 'RESOURCE_EXHAUSTED', afterMs: 60_000, assumed: true },
  ],
  ['away', 503, 'UNAVAILABLE', { kind: 'retry', reason: 'UNAVAILABLE' }],
] as const)('%s, without FcmError', (_name, status, rpcStatus, expected) => {
  expect(outcome(status, body(rpcStatus))).toEqual(expected)
})

test.each([
  ['no body', 404, undefined, { kind: 'rejected', reason: 'HTTP_404' }],
  ['no body, 5xx', 502, undefined, { kind: 'retry', reason: 'HTTP_502' }],
  ['error as text', 404, { error: 'UNREGISTERED' }, { kind: 'rejected', reason: 'HTTP_404' }],
  ['details that are not a list', 404, { error: { details: 'x' } }, { kind: 'rejected', reason: 'HTTP_404' }],
  ['details of null', 400, { error: { details: [null, 1] } }, { kind: 'rejected', reason: 'HTTP_400' }],
  [
    'the code in a detail of another type',
    404,
    { error: { status: 'NOT_FOUND', details: [{ '@type': 'x', errorCode: 'UNREGISTERED' }] } },
    { kind: 'rejected', reason: 'NOT_FOUND' },
  ],
  [
    'a new error code',
    418,
    { error: { details: [{ '@type': FCM_ERROR, errorCode: 'BRAND_NEW' }] } },
    { kind: 'rejected', reason: 'BRAND_NEW' },
  ],
])('unusual responses: %s', (_name, status, answer, expected) => {
  expect(outcome(status, answer)).toEqual(expected)
})

test('Retry-After takes precedence over the default minute after a 429, and also applies to 500 and 503', () => {
  for (const [status, name] of [
    [429, 'QUOTA_EXCEEDED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ] as const)
    expect(outcome(status, body('X', name), 7000)).toEqual({ kind: 'retry', reason: name, afterMs: 7000 })
})
