import { encode } from 'next-auth/jwt'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSessionMemory } from '../../src/server/auth/session-memory.ts'
import { payloadOf } from '../../src/server/auth/session-token.ts'

const SECRET = 'a-secret-that-is-long-enough-for-tests'
const claims = { userId: '01990000-0000-7000-8000-000000000001', epoch: 3, signedInAt: new Date(1_000_000) }
const tokenFor = (maxAge: number) => encode({ secret: SECRET, token: payloadOf(claims), maxAge })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a token that was read before says the same again', async () => {
  const read = createSessionMemory(SECRET)
  const token = await tokenFor(3600)
  expect(await read(token)).toEqual(claims)
  expect(await read(token)).toEqual(claims)
})

test('an expired token is none, however often it was read while it lived', async () => {
  const read = createSessionMemory(SECRET)
  const token = await tokenFor(30)
  expect(await read(token)).toEqual(claims)
  vi.setSystemTime(Date.now() + 50_000)
  expect(await read(token)).toBeNull()
})

test('a token that is almost one that was read is none', async () => {
  const read = createSessionMemory(SECRET)
  const token = await tokenFor(3600)
  await read(token)
  const at = token.length - 5
  const forged = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  expect(await read(forged)).toBeNull()
})
