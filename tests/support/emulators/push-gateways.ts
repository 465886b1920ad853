// The APNs and FCM gateways of the server, each against a local emulator, without the rest of the app.

import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ensureTls } from '@pigeonhole/emulators'
import { type ApnsOptions, startApns } from '@pigeonhole/emulators/apns'
import { type FcmOptions, startFcm, writeFcmCredentials } from '@pigeonhole/emulators/fcm'
import {
  type ApnsOptions as ApnsGatewayOptions,
  createApnsGateway,
} from '../../../src/server/apns/gateway.ts'
import { systemClock } from '../../../src/server/clock.ts'
import { createFcmGateway, type FcmOptions as FcmGatewayOptions } from '../../../src/server/fcm/gateway.ts'
import type { Gateway, Notification, Target } from '../../../src/server/push/ports.ts'

export const TOPIC = 'com.example.app'
export const PROJECT = 'test-project'
export const apnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pem = { type: 'pkcs8', format: 'pem' } as const

/** What the code under test logs; for tests that look at it. */
export function quietLog() {
  const lines: Array<{ details: object; message: string }> = []
  const note = (details: object, message: string) => void lines.push({ details, message })
  return { lines, debug: note, info: note, warn: note, error: note }
}

export function notification(change: Partial<Notification> = {}): Notification {
  return {
    messageId: '0198-message',
    title: 'Title',
    body: 'Body',
    data: {},
    category: 'general',
    collapseId: 'collapse-1',
    expiresAt: new Date(Date.now() + 3_600_000),
    priority: 'high',
    ...change,
  }
}

export function iosTarget(n = 0, environment: Target['environment'] = 'production'): Target {
  return { deviceId: `ios-${n}`, platform: 'ios', token: n.toString(16).padStart(64, '0'), environment }
}

export function androidTarget(n = 0): Target {
  return { deviceId: `android-${n}`, platform: 'android', token: `fcm-token-${n}`, environment: 'production' }
}

let shared: ReturnType<typeof makeTrustedTls> | undefined

/**
 * Local TLS that this process trusts, as NODE_EXTRA_CA_CERTS makes the real one trust it. One authority per process,
 * which goes with it: a second one of the same name would stand in the way of the first.
 */
export function trustedTls() {
  shared ??= makeTrustedTls()
  return shared
}

async function makeTrustedTls() {
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-gateways-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const tls = await ensureTls(dir)
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(tls.caFile, 'utf8')])
  return { ...tls, dir }
}

/** APNs configuration for the gateways at these addresses. */
export function apnsConfig(endpoint: string, sandboxEndpoint = endpoint) {
  return {
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    privateKey: apnsKey.privateKey.export(pem).toString(),
    topic: TOPIC,
    endpoint,
    sandboxEndpoint,
  }
}

type Tls = Awaited<ReturnType<typeof trustedTls>>

/** A local APNs and our gateway to it. */
export async function openApns(
  tls: Tls,
  emulator: Partial<ApnsOptions> = {},
  options: Partial<ApnsGatewayOptions> = {},
) {
  const apns = await startApns({
    tls,
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    publicKey: apnsKey.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    topics: [TOPIC],
    environment: 'production',
    ...emulator,
  })
  const log = quietLog()
  const gateway = createApnsGateway(apnsConfig(apns.url), { log, clock: systemClock, ...options })
  const close = async () => {
    await gateway.close(1000)
    await apns.close()
  }
  return { apns, gateway, log, close, [Symbol.asyncDispose]: close }
}

/** A local FCM (HTTP/2 over TLS; without `tls` HTTP/1.1) and our gateway to it. */
export async function openFcm(
  tls: Tls,
  emulator: Partial<FcmOptions> & { plain?: boolean } = {},
  options: Partial<FcmGatewayOptions> = {},
  config: { projectId?: string } = {},
) {
  const { plain, ...rest } = emulator
  const fcm = await startFcm({ projectId: PROJECT, ...(plain ? {} : { tls }), ...rest })
  const credentialsFile = join(tls.dir, `fcm-${fcm.port}.json`)
  await writeFcmCredentials(credentialsFile, fcm.credentials)
  const log = quietLog()
  const gateway = createFcmGateway(
    { projectId: PROJECT, endpoint: fcm.url, credentialsFile, ...config },
    { log, clock: systemClock, ...options },
  )
  const close = async () => {
    await gateway.close(1000)
    await fcm.close()
  }
  return { fcm, gateway, log, close, [Symbol.asyncDispose]: close }
}

/** Sends one notification to all of these; how often each kind of outcome (with its reason) came back. */
export async function sendAll(gateway: Gateway, targets: Target[], what = notification()) {
  const prepared = gateway.prepare(what)
  const counts: Record<string, number> = {}
  await Promise.all(
    targets.map(async (target) => {
      const outcome = await gateway.send(prepared, target)
      const name = outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind} ${outcome.reason}`
      counts[name] = (counts[name] ?? 0) + 1
    }),
  )
  return counts
}
