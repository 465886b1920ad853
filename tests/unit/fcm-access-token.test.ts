import { expect, test, vi } from 'vitest'
import { type AccessToken, AccessTokens } from '../../src/server/adapters/fcm/access-token.ts'
import { quietLog } from '../support/emulators/push-gateways.ts'

const HOUR_MS = 3_600_000

/** Creates a token endpoint whose responses the test controls. */
function world() {
  let now = Date.UTC(2026, 0, 2)
  const asked: Array<PromiseWithResolvers<AccessToken>> = []
  const tokens = new AccessTokens(
    () => {
      const answer = Promise.withResolvers<AccessToken>()
      asked.push(answer)
      return answer.promise
    },
    { clock: { now: () => new Date(now) }, log: quietLog() },
  )
  const give = (n: number, lifeMs = HOUR_MS) =>
    asked[n]!.resolve({ value: `token-${n}`, expiresAt: new Date(now + lifeMs) })
  return { tokens, asked, give, pass: (ms: number) => (now += ms) }
}

test('a thousand simultaneous sends request one token', async () => {
  const { tokens, asked, give } = world()
  const all = Promise.all(Array.from({ length: 1000 }, () => tokens.get()))
  give(0)
  expect(new Set((await all).map((c) => ('value' in c ? c.value : '')))).toEqual(new Set(['token-0']))
  expect(asked.length).toBe(1)
})

test('a token is renewed before it expires, while the old one is still used', async () => {
  const { tokens, asked, give, pass } = world()
  const first = tokens.get()
  give(0)
  await first
  pass(HOUR_MS - 5 * 60_000 - 1)
  await tokens.get()
  expect(asked.length).toBe(1)
  pass(1)
  expect(await tokens.get()).toMatchObject({ value: 'token-0' })
  await tokens.get()
  expect(asked.length).toBe(2)
  give(1)
  await expect.poll(() => tokens.get()).toMatchObject({ value: 'token-1' })
})

test('a token in its last seconds is not used', async () => {
  const { tokens, give, pass } = world()
  const first = tokens.get()
  give(0)
  await first
  pass(HOUR_MS - 20_000)
  const second = tokens.get()
  give(1)
  expect(await second).toMatchObject({ value: 'token-1' })
})

test('after a failure, the endpoint is called again after a pause, not by every send', async () => {
  const { tokens, asked, give } = world()
  const first = tokens.get()
  asked[0]!.reject(new Error('connect ECONNREFUSED'))
  expect(await first).toEqual({ afterMs: expect.any(Number) })
  for (let n = 0; n < 100; n++) expect(await tokens.get()).toEqual({ afterMs: expect.any(Number) })
  expect(asked.length).toBe(1)
  const askAgain = () => {
    void tokens.get()
    return asked.length
  }
  await expect.poll(askAgain).toBe(2)
  give(1)
  await expect.poll(() => tokens.get()).toMatchObject({ value: 'token-1' })
})

test('a call to an endpoint that hangs ends after 10 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { tokens } = world()
    const answer = tokens.get()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toEqual({ afterMs: expect.any(Number) })
  } finally {
    vi.useRealTimers()
  }
})

test('a rejected token is replaced once for all its users', async () => {
  const { tokens, asked, give } = world()
  const first = tokens.get()
  give(0)
  await first
  expect(tokens.rejected('token-0')).toBe(0)
  const renewed = Promise.all([tokens.get(), tokens.get()])
  expect(tokens.rejected('token-0')).toBe(0)
  give(1)
  expect(await renewed).toMatchObject([{ value: 'token-1' }, { value: 'token-1' }])
  expect(tokens.rejected('token-0')).toBe(0)
  expect(await tokens.get()).toMatchObject({ value: 'token-1' })
  expect(asked.length).toBe(2)
})

test('successive rejected tokens do not cause a flood of requests', async () => {
  const { tokens, asked, give } = world()
  const first = tokens.get()
  give(0)
  await first
  tokens.rejected('token-0')
  const second = tokens.get()
  give(1)
  await second
  expect(tokens.rejected('token-1')).toBeGreaterThan(0)
  expect(await tokens.get()).toMatchObject({ value: 'token-1' })
  expect(asked.length).toBe(2)
})
