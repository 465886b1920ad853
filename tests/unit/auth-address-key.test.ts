import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressKey } from '../../src/server/api/http/request-info.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:0db8:1::5', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})

test('an IPv6 subscriber cannot get another key by changing the lower half', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      if (address.includes('.')) return
      const parts = addressKey(address).replace('::/64', '')
      expect(addressKey(`${parts}:1:2:3:4`)).toBe(addressKey(address))
    }),
  )
})
