// The page of a broadcast says in words why pushes failed, and what to do.

import { expect, test } from 'vitest'
import { KIND_BY_REASON } from '../../src/server/adapters/apns/reasons.ts'
import { failureCause } from '../../src/ui/messages/failure-causes.ts'

test('every reason of APNs that fails a push has a cause, except faults of this service', () => {
  const ours = ['BadMessageId', 'DuplicateHeaders', 'MissingDeviceToken', 'BadPath', 'MethodNotAllowed']
  const unknown = Object.entries(KIND_BY_REASON)
    .filter(([reason, kind]) => kind !== 'gone' && failureCause(reason) === 'other')
    .map(([reason]) => reason)
  expect(unknown.sort()).toEqual(ours.sort())
})

test('a reason that only the gateway knows has the general cause, a server error none of its own', () => {
  expect(failureCause('SomethingNew')).toBe('other')
  expect(failureCause('HTTP_503')).toBe('noResponse')
})
