// A push to one user through gateways that hang: at least three retries within 10 s, and no repeats for one that
// is merely slow. Connections that are new ("cold") and such that have carried pushes.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApnsGateway } from '../../../src/server/apns/gateway.ts'
import { systemClock } from '../../../src/server/clock.ts'
import { hedgedSend } from '../../../src/server/push/hedged-send.ts'
import type { Gateway, Target } from '../../../src/server/push/ports.ts'
import {
  androidTarget,
  apnsConfig,
  iosTarget,
  notification,
  openApns,
  openFcm,
  quietLog,
  trustedTls,
} from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

/** As a push to one user does; with how long it took. */
async function send(gateway: Gateway, target: Target) {
  const begunAt = performance.now()
  const outcome = await hedgedSend(gateway, gateway.prepare(notification()), target)
  return { outcome, tookMs: performance.now() - begunAt }
}

const setups = {
  APNs: async () => {
    const setup = await openApns(tls)
    return { ...setup, emulator: setup.apns, target: iosTarget(1), other: iosTarget(2) }
  },
  FCM: async () => {
    const setup = await openFcm(tls)
    return { ...setup, emulator: setup.fcm, target: androidTarget(1), other: androidTarget(2) }
  },
  'FCM over HTTP/1.1': async () => {
    const setup = await openFcm(tls, { plain: true })
    return { ...setup, emulator: setup.fcm, target: androidTarget(1), other: androidTarget(2) }
  },
}
const cases = Object.keys(setups).flatMap((peer) =>
  ['cold', 'warm'].map((state) => [peer as keyof typeof setups, state] as const),
)

async function open(peer: keyof typeof setups, state: string) {
  const setup = await setups[peer]()
  if (state === 'warm') expect((await send(setup.gateway, setup.other)).outcome.kind).toBe('accepted')
  return setup
}

describe.concurrent.each(cases)('%s, %s', (peer, state) => {
  test('three streams that hang: the fourth is answered within 10 s', async () => {
    const { gateway, emulator, target, close } = await open(peer, state)
    emulator.faults.add({ device: target.token, first: 3, do: { kind: 'hold' } })
    const { outcome, tookMs } = await send(gateway, target)
    expect(outcome).toEqual({ kind: 'accepted' })
    expect(tookMs).toBeLessThan(10_000)
    expect(emulator.requestLog.countOf(target.token)).toBe(1)
    await close()
  })

  test('a gateway that hangs: failed with a reason after at least four attempts and 10 s', async () => {
    const { gateway, emulator, target, close } = await open(peer, state)
    emulator.faults.add({ device: target.token, do: { kind: 'hold', accepted: true } })
    const { outcome, tookMs } = await send(gateway, target)
    // Cold, what waits behind the stream that hangs is sent away when it is given up.
    expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringMatching(/^(TIMEOUT|UNREACHABLE)$/) })
    expect(tookMs).toBeLessThan(12_000)
    expect(emulator.requestLog.countOf(target.token)).toBe(4)
    const ids = emulator.requestLog.acceptedFor(target.token).map((push) => push.headers['apns-id'])
    expect(new Set(ids).size).toBe(1)
    await close()
  })

  test('2 s of latency are no fault: the push is sent once', async () => {
    const { gateway, emulator, target, close } = await open(peer, state)
    emulator.faults.set({ latencyMs: 2000 })
    expect((await send(gateway, target)).outcome).toEqual({ kind: 'accepted' })
    expect(emulator.requestLog.countOf(target.token)).toBe(1)
    await close()
  })
})

test.concurrent.each(cases)(
  '%s, %s: an answer after 4 s still counts',
  async (peer, state) => {
    const { gateway, emulator, target, close } = await open(peer, state)
    emulator.faults.set({ latencyMs: 4000 })
    const { outcome, tookMs } = await send(gateway, target)
    expect(outcome).toEqual({ kind: 'accepted' })
    // The answer to a second attempt would take 6.5 s.
    expect(tookMs).toBeLessThan(6000)
    await close()
  },
  30_000,
)

/** In front of a gateway: `swallow` new connections without a word, or `forget` those there are. */
async function middlebox(to: string) {
  const target = new URL(to)
  const pairs: Array<[Socket, Socket?]> = []
  const box = { swallow: 0, swallowed: 0 }
  const server = createServer((near) => {
    near.on('error', () => {})
    if (box.swallowed < box.swallow) {
      box.swallowed++
      pairs.push([near.resume()])
      return
    }
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => {})
    near.pipe(far).pipe(near)
    pairs.push([near, far])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(box, {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget() {
      for (const [near, far] of pairs) {
        near.unpipe()
        far?.unpipe()
        near.resume()
      }
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket?.destroy()
      server.close()
    },
  })
}

async function throughMiddlebox() {
  const setup = await openApns(tls)
  const box = await middlebox(setup.apns.url)
  const gateway = createApnsGateway(apnsConfig(box.url), { log: quietLog(), clock: systemClock })
  const close = async () => {
    await gateway.close(100)
    box.close()
    await setup.close()
  }
  return { ...setup, gateway, box, close }
}

test.concurrent('connections that lead nowhere: the fourth is tried within 10 s', async () => {
  const { gateway, box, close } = await throughMiddlebox()
  box.swallow = 3
  const { outcome, tookMs } = await send(gateway, iosTarget(1))
  expect(outcome).toEqual({ kind: 'accepted' })
  expect(tookMs).toBeLessThan(10_000)
  expect(box.swallowed).toBe(3)
  await close()
})

test.concurrent('a connection that died in silence: the push takes another one', async () => {
  const { gateway, box, apns, close } = await throughMiddlebox()
  await send(gateway, iosTarget(1))
  box.forget()
  const { outcome, tookMs } = await send(gateway, iosTarget(2))
  expect(outcome).toEqual({ kind: 'accepted' })
  expect(tookMs).toBeLessThan(5000)
  expect(apns.requestLog.countOf(iosTarget(2).token)).toBe(1)
  await close()
})
