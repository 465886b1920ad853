import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApnsEmulator, startApns } from '../src/apns/emulator.ts'
import { baseOptions, RawClient, removeTls } from './apns.client.ts'

let apns: ApnsEmulator
let raw: RawClient

const device = (n: number): string => n.toString(16).padStart(64, '0')

beforeAll(async () => {
  apns = await startApns({ ...baseOptions, controlPort: 0 })
  raw = new RawClient(apns.url)
})
afterEach(() => {
  apns.faults.reset()
  apns.requestLog.clear()
})
afterAll(async () => {
  raw.close()
  await apns.close()
  await removeTls()
})

describe('the request log', () => {
  test('counts repeats and notifies listeners, and a failed wait reports the counts', async () => {
    const seen: string[] = []
    const stop = apns.requestLog.onAccepted((push) => seen.push(push.token))
    for (const n of [1, 2, 1]) await raw.push({ token: device(n) })
    stop()
    await raw.push({ token: device(3) })
    expect(seen).toEqual([1, 2, 1].map(device))
    expect(apns.requestLog.counts).toMatchObject({ accepted: 4, devices: 3, repeats: 1 })
    expect(apns.requestLog.countOf(device(1))).toBe(2)
    expect(apns.requestLog.histogram()).toEqual({ 1: 2, 2: 1 })
    expect(apns.requestLog.acceptedFor(device(1))).toHaveLength(2)
    await expect(apns.requestLog.waitFor((requestLog) => requestLog.counts.accepted > 4, 20)).rejects.toThrow(
      '"accepted":4',
    )
  })

  test('keeps only counts without payloads', async () => {
    const lean = await startApns({ ...baseOptions, keepPayloads: false })
    const client = new RawClient(lean.url)
    await client.push({ token: device(1) })
    expect(lean.requestLog.counts.accepted).toBe(1)
    expect(lean.requestLog.countOf(device(1))).toBe(1)
    expect(lean.requestLog.accepted).toEqual([])
    client.close()
    await lean.close()
  })
})

describe('the control server', () => {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${apns.control?.url}${path}`, {
      method,
      body: JSON.stringify(body) ?? null,
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('sets, adds and removes, and shows the request log', async () => {
    expect((await call('POST', '/settings', { latencyMs: 3 })).body).toMatchObject({
      settings: { latencyMs: 3 },
    })
    const { body } = await call('POST', '/rules', {
      first: 1,
      do: { kind: 'reject', reason: 'TooManyRequests' },
    })
    expect(await raw.push()).toMatchObject({ status: 429 })
    expect(await call('DELETE', `/rules/${body.id}`)).toMatchObject({ body: { rules: [] } })
    await call('PUT', `/devices/${device(5)}`, { gone: { reason: 'Unregistered', since: 7 } })
    expect(await raw.push({ token: device(5) })).toMatchObject({ status: 410, body: { timestamp: 7 } })
    await call('DELETE', `/devices/${device(5)}`)
    expect(await raw.push({ token: device(5) })).toMatchObject({ status: 200 })
    expect((await call('GET', `/request-log/pushes?token=${device(5)}`)).body).toMatchObject({
      items: [{ seq: 1 }],
    })
    expect((await call('GET', `/request-log/count/${device(5)}`)).body).toEqual({ count: 1 })
    expect((await call('GET', '/request-log/rejections')).body).toMatchObject({
      items: [{ reason: 'TooManyRequests' }, { reason: 'Unregistered' }],
    })
    expect((await call('DELETE', '/request-log')).body).toMatchObject({ counts: { accepted: 0 } })
  })

  test('reports invalid requests', async () => {
    expect(await call('POST', '/settings', { latency: 3 })).toMatchObject({ status: 400 })
    expect(await call('POST', '/rules', { do: { kind: 'reject', reason: 'Nope' } })).toMatchObject({
      status: 400,
    })
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404 })
  })

  test('streams accepted pushes', async () => {
    const response = await fetch(`${apns.control?.url}/events`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    await raw.push({ token: device(8) })
    expect((await reader?.read())?.value).toContain(`"token":"${device(8)}"`)
    await reader?.cancel()
  })
})
