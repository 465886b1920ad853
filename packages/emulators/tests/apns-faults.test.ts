import { constants } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApnsEmulator, type ApnsOptions, startApns } from '../src/apns/emulator.ts'
import { baseOptions, jwt, RawClient, removeTls, TOKEN } from './apns.client.ts'

let apns: ApnsEmulator
const clients: RawClient[] = []
const others: ApnsEmulator[] = []

function client(of: ApnsEmulator = apns, providerToken?: string): RawClient {
  const created = new RawClient(of.url, providerToken)
  clients.push(created)
  return created
}

/** Returns a client whose provider token has been accepted, so that the initial stream limit no longer applies. */
async function trusted(of: ApnsEmulator = apns): Promise<RawClient> {
  const created = client(of)
  const raised = new Promise((resolve) => created.session.on('remoteSettings', resolve))
  await created.push()
  await raised
  of.requestLog.clear()
  return created
}

async function another(options: Partial<ApnsOptions>): Promise<ApnsEmulator> {
  const created = await startApns({ ...baseOptions, ...options })
  others.push(created)
  return created
}

const device = (n: number): string => n.toString(16).padStart(64, '0')
const settled = <T>(promises: Array<Promise<T>>) => Promise.allSettled(promises)
const closed = (of: RawClient): Promise<void> =>
  new Promise((resolve) => (of.session.closed ? resolve() : of.session.once('close', () => resolve())))

beforeAll(async () => {
  apns = await startApns(baseOptions)
})
afterEach(async () => {
  for (const created of clients.splice(0)) created.close()
  for (const created of others.splice(0)) await created.close()
  apns.faults.reset()
  await apns.requestLog.waitFor((requestLog) => requestLog.counts.connectionsOpen === 0)
  apns.requestLog.clear()
})
afterAll(async () => {
  await apns.close()
  await removeTls()
})

describe('streams of a connection', () => {
  test('are limited to one until the provider token is accepted, then to a thousand', async () => {
    const raw = client()
    const limits: unknown[] = []
    raw.session.on('remoteSettings', (settings) => limits.push(settings.maxConcurrentStreams))
    await raw.push({ headers: { authorization: undefined } })
    expect(limits).toEqual([1])
    const raised = new Promise((resolve) => raw.session.once('remoteSettings', resolve))
    await raw.push()
    await raised
    expect(limits).toEqual([1, 1000])
  })

  test('beyond the limit are rejected without a response', async () => {
    const raw = client()
    // Send all in one write, before the client has seen the limit.
    const results = await settled([1, 2, 3].map((n) => raw.push({ token: device(n) })))
    const codes = results.map((result) => (result.status === 'fulfilled' ? 200 : String(result.reason)))
    expect(codes[0]).toBe(200)
    expect(codes.slice(1).every((code) => String(code).includes('REFUSED_STREAM'))).toBe(true)
    expect(apns.requestLog.counts.accepted).toBe(1)
  })

  test('get a lower limit on open connections too', async () => {
    const raw = await trusted()
    const lowered = new Promise<unknown>((resolve) =>
      raw.session.once('remoteSettings', (settings) => resolve(settings.maxConcurrentStreams)),
    )
    apns.faults.set({ maxConcurrentStreams: 1 })
    expect(await lowered).toBe(1)
    await Promise.all(Array.from({ length: 20 }, (_, n) => raw.push({ token: device(n) })))
    expect(apns.requestLog.counts).toMatchObject({ accepted: 20, maxInFlight: 1 })
  })
})

describe('provider tokens', () => {
  test('can differ between connections', async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(await client().push()).toMatchObject({ status: 200 })
    expect(await client(apns, jwt({ iat: now - 100 })).push()).toMatchObject({ status: 200 })
    expect(apns.requestLog.counts.credentials).toBe(2)
  })

  test('can be renewed after 20 minutes, or after expiry', async () => {
    let now = Date.now()
    const gateway = await another({ now: () => now })
    const raw = client(gateway)
    const at = (ms: number) => ({
      headers: { authorization: `bearer ${jwt({ iat: Math.floor(ms / 1000) })}` },
    })
    expect(await raw.push(at(now - 3_700_000))).toMatchObject({ body: { reason: 'ExpiredProviderToken' } })
    expect(await raw.push(at(now))).toMatchObject({ status: 200 })
    now += 19 * 60_000
    expect(await raw.push(at(now))).toMatchObject({
      status: 429,
      body: { reason: 'TooManyProviderTokenUpdates' },
    })
    now += 2 * 60_000
    expect(await raw.push(at(now))).toMatchObject({ status: 200 })
  })

  test('are limited per key, so that another token on a second connection is rejected', async () => {
    const gateway = await another({ tokenUpdatesPer: 'key' })
    expect(await client(gateway).push()).toMatchObject({ status: 200 })
    const second = client(gateway, jwt({ iat: Math.floor(Date.now() / 1000) - 100 }))
    expect(await second.push()).toMatchObject({ status: 429 })
  })
})

describe('rules', () => {
  test.each([
    ['TooManyRequests', 429],
    ['InternalServerError', 500],
    ['ServiceUnavailable', 503],
    ['Shutdown', 503],
    ['Forbidden', 403],
    ['IdleTimeout', 400],
    ['BadCertificate', 403],
    ['UnrelatedKeyIdInToken', 403],
  ])('%s rejects a push', async (reason, status) => {
    apns.faults.add({ device: TOKEN, do: { kind: 'reject', reason } })
    expect(await client().push()).toMatchObject({ status, body: { reason } })
  })

  test('with an unknown reason are rejected when they are added', () => {
    expect(() => apns.faults.add({ do: { kind: 'reject', reason: 'Unregisterd' } })).toThrow(RangeError)
  })

  test('match by device, prefix, expression, first n and first n of each device, and the first match applies', async () => {
    const raw = await trusted()
    const status = async (n: number) => (await raw.push({ token: device(n) })).status
    apns.faults.add({ device: device(1), do: { kind: 'accept' } })
    apns.faults.add({ device: { regex: '1$' }, do: { kind: 'reject', reason: 'Unregistered', timestamp: 5 } })
    apns.faults.add({ device: { prefix: device(2) }, first: 1, do: { kind: 'reject', reason: 'Shutdown' } })
    apns.faults.add({
      device: { regex: '[34]$' },
      firstPerDevice: 1,
      do: { kind: 'reject', reason: 'TooManyRequests' },
    })
    expect(await status(1)).toBe(200)
    expect(await status(0x11)).toBe(410)
    expect([await status(2), await status(2)]).toEqual([503, 200])
    expect([await status(3), await status(4), await status(3), await status(4)]).toEqual([429, 429, 200, 200])
  })

  test('match a share of pushes, and the same ones with the same seed', async () => {
    const raw = await trusted()
    const run = async () => {
      apns.faults.reset(42)
      apns.faults.add({ rate: 0.3, do: { kind: 'reject', reason: 'ServiceUnavailable' } })
      const statuses: number[] = []
      for (let n = 0; n < 200; n++) statuses.push((await raw.push({ token: device(n) })).status)
      return statuses
    }
    const first = await run()
    const rejected = first.filter((status) => status === 503).length
    expect(rejected).toBeGreaterThan(40)
    expect(rejected).toBeLessThan(80)
    expect(await run()).toEqual(first)
  })

  test.each([true, false])('reset a stream, with the push accepted: %s', async (accepted) => {
    const raw = await trusted()
    apns.faults.add({ do: { kind: 'reset', code: constants.NGHTTP2_INTERNAL_ERROR, accepted } })
    await expect(raw.push()).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
    expect(apns.requestLog.counts).toMatchObject({ accepted: accepted ? 1 : 0, unanswered: accepted ? 1 : 0 })
  })

  test('disconnect with all streams, and accepted pushes stay in the request log', async () => {
    const raw = await trusted()
    apns.faults.add({ device: device(9), do: { kind: 'disconnect', accepted: true } })
    apns.faults.add({ do: { kind: 'hold', accepted: true } })
    const results = await settled(Array.from({ length: 10 }, (_, n) => raw.push({ token: device(n) })))
    expect(results.every((result) => result.status === 'rejected')).toBe(true)
    expect(apns.requestLog.counts.accepted).toBe(10)
    apns.faults.release()
    expect(apns.requestLog.counts.unanswered).toBe(10)
  })

  test.each([true, false])(
    'hold a push until its release, with the push accepted before: %s',
    async (accepted) => {
      const raw = await trusted()
      apns.faults.add({ do: { kind: 'hold', accepted } })
      const response = raw.push()
      await expect.poll(() => apns.faults.holding).toBe(1)
      expect(apns.requestLog.counts.accepted).toBe(accepted ? 1 : 0)
      apns.faults.release()
      expect(await response).toMatchObject({ status: 200 })
      expect(apns.requestLog.counts.accepted).toBe(1)
    },
  )
})

describe('settings', () => {
  test('hold leaves all requests unread until it ends', async () => {
    const raw = await trusted()
    apns.faults.set({ hold: true })
    const response = raw.push()
    await expect.poll(() => apns.faults.holding).toBe(1)
    apns.faults.set({ hold: false })
    expect(await response).toMatchObject({ status: 200 })
  })

  test('all requests wait for the latency in parallel', async () => {
    const raw = await trusted()
    apns.faults.set({ latencyMs: 100, jitterMs: 20 })
    const start = performance.now()
    await Promise.all(Array.from({ length: 200 }, (_, n) => raw.push({ token: device(n) })))
    const tookMs = performance.now() - start
    // One after the other, they would take 20 s. maxInFlight shows that they ran in parallel.
    expect(tookMs).toBeGreaterThan(99)
    expect(apns.requestLog.counts.maxInFlight).toBe(200)
  })

  test('refuseConnections resets new connections', async () => {
    apns.faults.set({ refuseConnections: true })
    await expect(client().push()).rejects.toThrow(/ECONNRESET|socket|closed/i)
    apns.faults.set({ refuseConnections: false })
    expect(await client().push()).toMatchObject({ status: 200 })
  })

  test('goAwayAfter responds up to the n-th request, and later ones are not read', async () => {
    const raw = await trusted()
    apns.faults.set({ goAwayAfter: 6, latencyMs: 20 })
    const results = await settled(Array.from({ length: 10 }, (_, n) => raw.push({ token: device(n) })))
    // One request of trusted(), then five of these.
    expect(results.slice(0, 5).map((result) => result.status)).toEqual(Array(5).fill('fulfilled'))
    expect(results.slice(5).every((result) => result.status === 'rejected')).toBe(true)
    expect(apns.requestLog.accepted.map((push) => push.token)).toEqual([0, 1, 2, 3, 4].map(device))
    expect(raw.goaway).toEqual({ code: 0, lastStreamId: 11, data: '{"reason":"Shutdown"}' })
    await closed(raw)
  })

  test('GOAWAY is sent on request and when idle', async () => {
    const raw = await trusted()
    apns.goAway()
    await closed(raw)
    expect(raw.goaway?.data).toBe('{"reason":"Shutdown"}')
    apns.faults.set({ idleTimeoutMs: 30 })
    const idle = await trusted()
    await closed(idle)
    expect(idle.goaway?.data).toBe('{"reason":"IdleTimeout"}')
  })
})
