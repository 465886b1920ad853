import type { Reason } from '@pigeonhole/emulators/apns'
import { Errors } from 'apns2'
import { expect, expectTypeOf, test } from 'vitest'
import { type ApnsReason, KIND_BY_REASON, outcomeOf } from '../../src/server/adapters/apns/reasons.ts'

const SINCE = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

/** Every reason with its status and meaning for a device, from Apple's "Handling notification responses from APNs". */
const TABLE: Array<[number, string, object]> = [
  [400, 'BadCollapseId', { kind: 'rejected' }],
  [400, 'BadDeviceToken', { kind: 'suspect' }],
  [400, 'BadExpirationDate', { kind: 'rejected' }],
  [400, 'BadMessageId', { kind: 'rejected' }],
  [400, 'BadPriority', { kind: 'rejected' }],
  [400, 'BadTopic', { kind: 'rejected' }],
  [400, 'DeviceTokenNotForTopic', { kind: 'suspect' }],
  [400, 'DuplicateHeaders', { kind: 'rejected' }],
  [400, 'IdleTimeout', { kind: 'retry' }],
  [400, 'InvalidPushType', { kind: 'rejected' }],
  [400, 'MissingDeviceToken', { kind: 'rejected' }],
  [400, 'MissingTopic', { kind: 'rejected' }],
  [400, 'PayloadEmpty', { kind: 'rejected' }],
  [400, 'TopicDisallowed', { kind: 'rejected' }],
  [403, 'BadCertificate', { kind: 'rejected' }],
  [403, 'BadCertificateEnvironment', { kind: 'rejected' }],
  [403, 'BadEnvironmentKeyIdInToken', { kind: 'retry' }],
  [403, 'ExpiredProviderToken', { kind: 'retry' }],
  [403, 'Forbidden', { kind: 'rejected' }],
  [403, 'InvalidProviderToken', { kind: 'retry' }],
  [403, 'MissingProviderToken', { kind: 'retry' }],
  [403, 'UnrelatedKeyIdInToken', { kind: 'retry' }],
  [404, 'BadPath', { kind: 'rejected' }],
  [405, 'MethodNotAllowed', { kind: 'rejected' }],
  [410, 'ExpiredToken', { kind: 'gone', since: new Date(SINCE) }],
  [410, 'Unregistered', { kind: 'gone', since: new Date(SINCE) }],
  [413, 'PayloadTooLarge', { kind: 'rejected' }],
  [429, 'TooManyProviderTokenUpdates', { kind: 'retry' }],
  [429, 'TooManyRequests', { kind: 'retry', device: true }],
  [500, 'InternalServerError', { kind: 'retry' }],
  [503, 'ServiceUnavailable', { kind: 'retry' }],
  [503, 'Shutdown', { kind: 'retry' }],
]

function rejection(status: number, reason: string | undefined, change = {}) {
  const timestamp = status === 410 ? SINCE : undefined
  return outcomeOf({ status, reason, timestamp, retryAfterMs: undefined, ...change })
}

test.each(TABLE)('%i %s', (status, reason, expected) => {
  expect(rejection(status, reason)).toEqual({ reason, ...expected })
})

test('the table contains every reason and no others', () => {
  expect(Object.keys(KIND_BY_REASON).sort()).toEqual(TABLE.map(([, reason]) => reason).sort())
})

test('the emulator has the same reasons', () => {
  // `npm run typecheck` fails where they differ.
  expectTypeOf<Reason>().toEqualTypeOf<ApnsReason>()
})

test('every reason that apns2 names is known', () => {
  // These three are apns2's own: APNs never returns them.
  const own: string[] = [Errors.error, Errors.unknownError, Errors.invalidSigningKey]
  const named = Object.values(Errors).filter((reason) => !own.includes(reason))
  expect(Object.keys(KIND_BY_REASON)).toEqual(expect.arrayContaining(named))
})

test('only gone and suspect affect a device, and neither results from a 403, 404, 429 or 5xx', () => {
  const touching = TABLE.filter(([, , { kind }]: [number, string, { kind?: string }]) =>
    ['gone', 'suspect'].includes(kind ?? ''),
  )
  expect(touching.map(([status]) => status).sort()).toEqual([400, 400, 410, 410])
})

test.each([
  ['a new reason with 4xx', 400, 'SomethingNew', { kind: 'rejected', reason: 'SomethingNew' }],
  [
    'a new reason with 410',
    410,
    'AppRemoved',
    { kind: 'gone', reason: 'AppRemoved', since: new Date(SINCE) },
  ],
  ['a new reason with 429', 429, 'SlowDown', { kind: 'retry', reason: 'SlowDown' }],
  ['a new reason with 5xx', 502, 'Oops', { kind: 'retry', reason: 'Oops' }],
  ['no reason with 4xx', 404, undefined, { kind: 'rejected', reason: 'HTTP_404' }],
  ['no reason with 5xx', 502, undefined, { kind: 'retry', reason: 'HTTP_502' }],
  ['410 from a server that is not APNs', 410, undefined, { kind: 'rejected', reason: 'HTTP_410' }],
  ['a redirect', 302, undefined, { kind: 'rejected', reason: 'HTTP_302' }],
] as const)('%s', (_name, status, reason, expected) => {
  expect(rejection(status, reason)).toEqual(expected)
})

test('410 without a time sets no `since`', () => {
  expect(rejection(410, 'Unregistered', { timestamp: undefined })).toEqual({
    kind: 'gone',
    reason: 'Unregistered',
  })
})

test.each([
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
  [403, 'ExpiredProviderToken'],
])('Retry-After is passed on with %i %s', (status, reason) => {
  expect(rejection(status, reason, { retryAfterMs: 1234 })).toMatchObject({
    kind: 'retry',
    reason,
    afterMs: 1234,
  })
})
