import { encode } from 'next-auth/jwt'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSessionCache, payloadOf } from '../../src/server/domain/accounts/session-token.ts'

const SECRET = 'a-secret-that-is-long-enough-for-tests'
const SESSION = '01990000-0000-7000-8000-000000000001'
const tokenFor = (maxAge: number) => encode({ secret: SECRET, token: payloadOf(SESSION), maxAge })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('reading a token again returns the same session', async () => {
  const read = createSessionCache([SECRET])
  const token = await tokenFor(3600)
  expect(await read(token)).toBe(SESSION)
  expect(await read(token)).toBe(SESSION)
})

test('an expired token is invalid, even if it was read before', async () => {
  const read = createSessionCache([SECRET])
  const token = await tokenFor(30)
  expect(await read(token)).toBe(SESSION)
  vi.setSystemTime(Date.now() + 50_000)
  expect(await read(token)).toBeNull()
})

test('a forged variant of a cached token is invalid', async () => {
  const read = createSessionCache([SECRET])
  const token = await tokenFor(3600)
  await read(token)
  const at = token.length - 5
  const forged = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  expect(await read(forged)).toBeNull()
})
