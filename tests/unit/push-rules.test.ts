import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createSecretCheck } from '../../src/server/api/access/secret-gate.ts'
import { sendChunk } from '../../src/server/domain/push/broadcasts/chunk.ts'
import type { Chunk } from '../../src/server/domain/push/broadcasts/chunk-repo.ts'
import type { Gateway, Outcome, Platform, Recipient } from '../../src/server/domain/push/delivery/gateway.ts'
import { hedgedSend } from '../../src/server/domain/push/delivery/hedged-send.ts'
import { createPushApps } from '../../src/server/domain/push/delivery/push-apps.ts'
import {
  partsOf,
  type Upstream,
  upstreamOf,
  upstreamsOf,
} from '../../src/server/domain/push/delivery/upstream.ts'
import type { PushService } from '../../src/server/domain/push/devices/push-services.ts'
import { canonicalJson } from '../../src/server/domain/push/messages/idempotency.ts'
import { prepareMessage } from '../../src/server/domain/push/messages/prepared-message.ts'
import { backoffMs, jittered } from '../../src/server/kernel/backoff.ts'

const recipient = (n: number, platform: Platform): Recipient => ({
  deviceId: `device-${n}`,
  app: 'default',
  platform,
  token: `token-${n}`,
  environment: 'production',
  lastSeenAt: new Date(0).toISOString(),
})

/** Creates a gateway that returns the n-th outcome for device n. */
const gatewayOf = (
  platform: Platform,
  answer: (deviceId: string) => Outcome | Promise<Outcome>,
): Gateway => ({
  platform,
  prepare: () => ({ platform, bytesOver: 0 }),
  async send(_, target, onTurn) {
    onTurn?.()
    return answer(target.deviceId)
  },
  close: async () => {},
})

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant<Outcome>({ kind: 'accepted' }),
  fc.constant<Outcome>({ kind: 'rejected', reason: 'r' }),
  fc.constant<Outcome>({ kind: 'gone', reason: 'g' }),
  fc.constant<Outcome>({ kind: 'suspect', reason: 's' }),
  fc.record({
    kind: fc.constant('retry' as const),
    reason: fc.constant('later'),
    afterMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
  }),
)

const now = new Date('2026-01-01T00:00:00Z')
const chunkOf = (attempt: number, ttlSeconds: number, retry?: Chunk['retry']): Chunk => ({
  id: 'chunk',
  upstream: 'ios',
  app: 'default',
  platforms: ['ios', 'android'],
  claimedAt: now,
  cancelled: false,
  attempt,
  retry,
  afterId: null,
  lastId: null,
  message: {
    id: 'message',
    userId: null,
    content: { title: 't', body: 'b', category: 'c', ttlSeconds, priority: 'high' },
    createdAt: now,
    expiresAt: new Date(now.getTime() + ttlSeconds * 1000),
  },
})

describe('a chunk', () => {
  const run = (chunk: Chunk, recipients: Recipient[], outcomes: Outcome[]) => {
    const answer = (id: string) => outcomes[Number(id.slice(7))]!
    const gateways = {
      ios: gatewayOf('ios', answer),
      android: gatewayOf('android', answer),
      web: gatewayOf('web', answer),
    }
    const apps = createPushApps(new Map([['default', gateways]]), () => gateways)
    const prepared = prepareMessage(apps, chunk.message)
    return sendChunk(chunk, recipients, { apps, prepared, now: () => now, isWanted: () => true })
  }

  test('counts every device exactly once for any responses, and hands over those of other upstreams', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(outcome, fc.constantFrom<Upstream>(...upstreamsOf(['default', 'shop']))), {
          maxLength: 60,
        }),
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom(0, 30, 86_400),
        async (cases, attempt, ttl) => {
          const recipients = cases.map(([, upstream], n): Recipient => {
            const { app, platform } = partsOf(upstream)
            const device = { ...recipient(n, platform), app }
            if (upstream.endsWith('ios-sandbox')) return { ...device, environment: 'sandbox' }
            if (platform !== 'web') return device
            const service = /web-(.*)/.exec(upstream)?.[1] ?? 'google'
            return { ...device, webPush: { p256dh: '', auth: '', service: service as PushService } }
          })
          const { counts, retries } = await run(
            chunkOf(attempt, ttl),
            recipients,
            cases.map(([o]) => o),
          )
          const later = retries.flatMap((group) => group.deviceIds)
          const settled = counts.sent + counts.failed + counts.gone.length + counts.suspects.length
          expect(settled + later.length).toBe(cases.length)
          expect(new Set(later).size).toBe(later.length)
          expect(counts.audience.ios + counts.audience.android + counts.audience.web).toBe(cases.length)
          for (const group of retries) {
            expect(
              group.deviceIds.every((id) => upstreamOf(recipients[Number(id.slice(7))]!) === group.upstream),
            ).toBe(true)
            if (group.upstream !== 'ios') {
              expect(group).toMatchObject({ attempt, delayMs: 0 })
              continue
            }
            expect(group.attempt).toBe(attempt + 1)
            for (const id of group.deviceIds) {
              const asked = cases[Number(id.slice(7))]![0]
              expect(group.delayMs).toBeGreaterThanOrEqual(
                asked.kind === 'retry' ? (asked.afterMs ?? 0) : Infinity,
              )
              expect(group.notBeforeMs).toBeGreaterThanOrEqual(
                asked.kind === 'retry' ? (asked.afterMs ?? 0) : Infinity,
              )
            }
          }
        },
      ),
    ))

  test('tries again until the message expires, regardless of the backoff', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 2, max: 86_400 }),
        fc.integer({ min: 0, max: 600 }),
        async (attempt, ttl, askedSeconds) => {
          const asked: Outcome = { kind: 'retry', reason: 'busy', afterMs: askedSeconds * 1000 }
          const { retries, counts } = await run(chunkOf(attempt, ttl), [recipient(0, 'ios')], [asked])
          expect(retries.length).toBe(askedSeconds < ttl ? 1 : 0)
          expect(counts.failed).toBe(1 - retries.length)
          for (const { delayMs } of retries) {
            expect(delayMs).toBeGreaterThanOrEqual(askedSeconds * 1000)
            expect(delayMs).toBeLessThanOrEqual((ttl - 1) * 1000)
          }
        },
      ),
    ))

  test('counts retried devices that have unregistered as failed, and counts no device twice', async () => {
    const retry = { platform: 'ios', deviceIds: ['device-0', 'device-1'] } as const
    const chunk = chunkOf(1, 60, { ...retry, deviceIds: [...retry.deviceIds] })
    const { counts } = await run(chunk, [recipient(0, 'ios')], [{ kind: 'accepted' }])
    expect(counts).toMatchObject({ sent: 1, failed: 1, audience: { ios: 0, android: 0 } })
    expect(counts.failures).toEqual([{ deviceId: 'device-1', platform: 'ios', reason: 'WITHDRAWN' }])
  })

  test('sends nothing after the message expired', async () => {
    const chunk = chunkOf(0, 60)
    chunk.message.expiresAt = new Date(now.getTime() - 1)
    const { counts } = await run(chunk, [recipient(0, 'ios')], [{ kind: 'accepted' }])
    expect(counts).toMatchObject({ sent: 0, failed: 1, failures: [{ reason: 'EXPIRED' }] })
  })
})

describe('a hedged send', () => {
  const attempts = async (answers: (n: number) => Outcome, latencyMs = 0) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      let calls = 0
      const gateway = gatewayOf('ios', async () => {
        const answer = answers(calls++)
        if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs))
        return answer
      })
      const startedAt = performance.now()
      const pending = hedgedSend(gateway, { platform: 'ios', bytesOver: 0 }, recipient(0, 'ios'))
      await vi.runAllTimersAsync()
      return { result: await pending, calls, tookMs: performance.now() - startedAt }
    } finally {
      vi.useRealTimers()
    }
  }

  test('retries at least three times and ends within 10 s', async () => {
    for (let round = 0; round < 20; round++) {
      const { result, calls, tookMs } = await attempts(() => ({ kind: 'retry', reason: 'busy' }))
      expect(result).toEqual({ kind: 'rejected', reason: 'busy' })
      expect(calls).toBeGreaterThanOrEqual(4)
      expect(tookMs).toBeLessThanOrEqual(10_000)
    }
  })

  test('tries a gateway that hangs four times, although the access token takes up to 5 s', async () => {
    for (const tokenMs of [0, 1_000, 2_400, 5_000]) {
      let turns = 0
      vi.useFakeTimers()
      try {
        const token = new Promise<'token'>((resolve) => setTimeout(resolve, tokenMs, 'token'))
        const gateway: Gateway = {
          ...gatewayOf('android', () => ({ kind: 'accepted' })),
          async send(_, __, onTurn) {
            // Like FCM's: a push waits at most 2.5 s for the token.
            const timeout = new Promise((resolve) => setTimeout(resolve, 2_500))
            if ((await Promise.race([token, timeout])) !== 'token')
              return { kind: 'retry', reason: 'NO_ACCESS_TOKEN', afterMs: 1 }
            turns++
            onTurn?.()
            return new Promise(() => {})
          },
        }
        const pending = hedgedSend(gateway, { platform: 'android', bytesOver: 0 }, recipient(0, 'android'))
        await vi.runAllTimersAsync()
        expect((await pending).kind).toBe('rejected')
      } finally {
        vi.useRealTimers()
      }
      expect(turns, `${tokenMs} ms`).toBe(4)
    }
  })

  test('waits as long as the gateway asks, if there is time', async () => {
    const { calls, tookMs } = await attempts((n) =>
      n === 0 ? { kind: 'retry', reason: 'busy', afterMs: 4_000 } : { kind: 'accepted' },
    )
    expect(calls).toBe(2)
    expect(tookMs).toBeGreaterThanOrEqual(4_000)
    expect((await attempts(() => ({ kind: 'retry', reason: 'busy', afterMs: 10_001 }))).calls).toBe(1)
  })

  test('sends a push that failed in the queue as soon as the pause ends', async () => {
    let calls = 0
    vi.useFakeTimers()
    try {
      const gateway: Gateway = {
        ...gatewayOf('ios', () => ({ kind: 'accepted' })),
        async send(_, __, onTurn) {
          if (++calls <= 8) return { kind: 'retry', reason: 'UNREACHABLE', afterMs: 100 }
          onTurn?.()
          return { kind: 'accepted' }
        },
      }
      const pending = hedgedSend(gateway, { platform: 'ios', bytesOver: 0 }, recipient(0, 'ios'))
      await vi.runAllTimersAsync()
      expect(await pending).toEqual({ kind: 'accepted' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('keeps a wait requested after the repeat was sent, and its reason', async () => {
    const { result, calls } = await attempts(
      () => ({ kind: 'retry', reason: 'quota', afterMs: 60_000 }),
      3_000,
    )
    expect(result).toEqual({ kind: 'rejected', reason: 'quota' })
    expect(calls).toBe(2)
  })

  test('does not wait for an assumed time that the gateway did not request', async () => {
    const { calls } = await attempts(() => ({
      kind: 'retry',
      reason: 'quota',
      afterMs: 60_000,
      assumed: true,
    }))
    expect(calls).toBeGreaterThanOrEqual(4)
  })
})

describe('helpers', () => {
  test('backoff doubles up to its limit, and jitter takes at most half of it', () => {
    expect([0, 1, 2, 3, 99].map((n) => backoffMs(n, 100, 500))).toEqual([100, 200, 400, 500, 500])
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const ms = jittered(1000, () => random)
        expect(ms).toBeGreaterThanOrEqual(500)
        expect(ms).toBeLessThan(1000)
      }),
    )
  })

  test('canonical JSON is equal only for equal values, regardless of the order of names', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }))
  })

  test('only the exact admin secret is accepted', () => {
    const check = createSecretCheck(['p'.repeat(32), 's'.repeat(32)])
    expect(check('s'.repeat(32))).toBe(true)
    for (const wrong of [undefined, '', 's'.repeat(31), 's'.repeat(33)]) expect(check(wrong)).toBe(false)
  })
})
