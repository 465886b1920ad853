import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { createProviderToken } from '../../src/server/adapters/apns/provider-token.ts'

const MINUTE_MS = 60_000
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const privateKey = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

function at(start = Date.UTC(2026, 0, 2)) {
  let now = start
  const clock = { now: () => new Date(now) }
  const token = createProviderToken({ teamId: 'TEAM', keyId: 'KEY', privateKey }, clock)
  return { token, pass: (ms: number) => (now += ms), now: () => now }
}

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

test('the token is an ES256 JWT with kid, iss and iat in seconds', () => {
  const { token, now } = at()
  const [header, claims, signature] = token.current().split('.')
  expect(decode(header)).toEqual({ alg: 'ES256', kid: 'KEY' })
  expect(decode(claims)).toEqual({ iss: 'TEAM', iat: now() / 1000 })
  const isValid = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: key.publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature ?? '', 'base64url'),
  )
  expect(isValid).toBe(true)
})

test('one token is used for 50 minutes', () => {
  const { token, pass } = at()
  const first = token.current()
  pass(50 * MINUTE_MS - 1)
  expect(token.current()).toBe(first)
  pass(1)
  expect(token.current()).not.toBe(first)
})

test('if it expires for all callers at once, the first renews it and the others get the new one', () => {
  const { token, pass } = at()
  const first = token.current()
  pass(20 * MINUTE_MS)
  expect(token.renewedAfter(first)).toBe(true)
  const second = token.current()
  expect(second).not.toBe(first)
  for (let i = 0; i < 1000; i++) expect(token.renewedAfter(first)).toBe(true)
  expect(token.current()).toBe(second)
})

test('it is never renewed within 20 minutes, even if the gateway keeps reporting it as expired', () => {
  const { token, pass } = at()
  const first = token.current()
  expect(token.renewedAfter(first)).toBe(false)
  pass(20 * MINUTE_MS - 1)
  expect(token.renewedAfter(first)).toBe(false)
  expect(token.current()).toBe(first)
  pass(1)
  expect(token.renewedAfter(first)).toBe(true)
})
