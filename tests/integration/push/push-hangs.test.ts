// A push to one user through gateways that hang: at least three retries within 10 s, and no repeats for a gateway that
// is only slow. On new connections ("cold") and on connections that have carried pushes ("warm").

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApnsGateway } from '../../../src/server/adapters/apns/gateway.ts'
import type { Gateway, Target } from '../../../src/server/domain/push/delivery/gateway.ts'
import { hedgedSend } from '../../../src/server/domain/push/delivery/hedged-send.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
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

/** The shortest jitter of the waits between attempts lets so many fit into 10 s (docs/api.md). */
const MAX_ATTEMPTS = 8

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

/** Sends like a push to one user, which counts as rejected after 10 s. */
const send = (gateway: Gateway, target: Target) =>
  hedgedSend(gateway, gateway.prepare(notification()), target)

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
  if (state === 'warm') expect((await send(setup.gateway, setup.other)).kind).toBe('accepted')
  return setup
}

type Setup = Awaited<ReturnType<typeof open>>

/** Five setups per case, opened before the first test: a push has 10 s, and opening keeps the processor busy. */
const opened = new Map<string, Setup[]>()
beforeAll(async () => {
  for (const [peer, state] of cases) {
    const setups: Setup[] = []
    for (let n = 0; n < 5; n++) setups.push(await open(peer, state))
    opened.set(`${peer}, ${state}`, setups)
  }
})
const take = (peer: string, state: string) => opened.get(`${peer}, ${state}`)!.pop()!

describe.concurrent.each(cases)('%s, %s', (peer, state) => {
  test('after three streams hang, the fourth gets a response within 10 s', async () => {
    const { gateway, emulator, target, close } = take(peer, state)
    emulator.faults.add({ device: target.token, first: 3, do: { kind: 'hold' } })
    expect(await send(gateway, target)).toEqual({ kind: 'accepted' })
    expect(emulator.requestLog.countOf(target.token)).toBe(1)
    await close()
  })

  test('with a gateway that hangs, it fails with a reason after at least four attempts and 10 s', async () => {
    const { gateway, emulator, target, close } = take(peer, state)
    emulator.faults.add({ device: target.token, do: { kind: 'hold', accepted: true } })
    const outcome = await send(gateway, target)
    // On cold connections, requests queued behind the hanging stream fail when it is abandoned.
    expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringMatching(/^(TIMEOUT|UNREACHABLE)$/) })
    expect(emulator.requestLog.countOf(target.token)).toBe(4)
    const ids = emulator.requestLog.acceptedFor(target.token).map((push) => push.headers['apns-id'])
    expect(new Set(ids).size).toBe(1)
    await close()
  })

  test('with connections that break after the push was accepted, it is sent at most eight times, with one ID', async () => {
    const { gateway, emulator, target, close } = take(peer, state)
    emulator.faults.add({ device: target.token, do: { kind: 'disconnect', accepted: true } })
    expect((await send(gateway, target)).kind).toBe('rejected')
    expect(emulator.requestLog.countOf(target.token)).toBeGreaterThan(1)
    expect(emulator.requestLog.countOf(target.token)).toBeLessThanOrEqual(MAX_ATTEMPTS)
    const ids = emulator.requestLog.acceptedFor(target.token).map((push) => push.headers['apns-id'])
    expect(new Set(ids).size).toBe(1)
    await close()
  })

  test('with a second of latency, the push is sent once', async () => {
    const { gateway, emulator, target, close } = take(peer, state)
    emulator.faults.set({ latencyMs: 1000 })
    expect(await send(gateway, target)).toEqual({ kind: 'accepted' })
    expect(emulator.requestLog.countOf(target.token)).toBe(1)
    await close()
  })
})

test.concurrent.each(cases)('%s, %s: a response after 4 s still counts', async (peer, state) => {
  const { gateway, emulator, target, close } = take(peer, state)
  emulator.faults.set({ latencyMs: 4000 })
  const outcome = send(gateway, target)
  await expect.poll(() => emulator.requestLog.counts.inFlight).toBeGreaterThan(0)
  // The repeats get no response.
  emulator.faults.set({ hold: true })
  expect(await outcome).toEqual({ kind: 'accepted' })
  expect(emulator.requestLog.countOf(target.token)).toBe(1)
  await close()
})

/** Forwards to a gateway. `swallow` silently drops new connections; `forget` drops existing ones. */
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

test.concurrent('after three connections that get no response, the fourth is tried within 10 s', async () => {
  const { gateway, box, close } = await throughMiddlebox()
  box.swallow = 3
  expect(await send(gateway, iosTarget(1))).toEqual({ kind: 'accepted' })
  expect(box.swallowed).toBe(3)
  await close()
})

test.concurrent('after a connection dies silently, the push uses another one', async () => {
  const { gateway, box, apns, close } = await throughMiddlebox()
  await send(gateway, iosTarget(1))
  box.forget()
  expect(await send(gateway, iosTarget(2))).toEqual({ kind: 'accepted' })
  expect(apns.requestLog.countOf(iosTarget(2).token)).toBe(1)
  await close()
})
