// The server's clients of APNs and FCM, each connected to a local emulator, without the rest of the app.

import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ensureTls } from '@pigeonhole/emulators'
import { type ApnsOptions, startApns } from '@pigeonhole/emulators/apns'
import { type FcmOptions, startFcm, writeFcmCredentials } from '@pigeonhole/emulators/fcm'
import { createApnsGateway } from '../../../src/server/adapters/apns/gateway.ts'
import {
  createFcmGateway,
  type FcmOptions as FcmGatewayOptions,
} from '../../../src/server/adapters/fcm/gateway.ts'
import type { GatewayOptions } from '../../../src/server/adapters/http2/gateway-options.ts'
import type { Gateway, Target } from '../../../src/server/domain/push/delivery/gateway.ts'
import type { Notification } from '../../../src/server/domain/push/messages/notification.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'

export const TOPIC = 'com.example.app'
export const PROJECT = 'test-project'
export const apnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pem = { type: 'pkcs8', format: 'pem' } as const

/** Log lines of the code under test. */
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
 * Returns local TLS that this process trusts, as NODE_EXTRA_CA_CERTS makes a server trust it. There is one authority
 * per process, removed at its end, because a second one with the same name would hide the first.
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

/** Returns the APNs configuration for gateways at these addresses. */
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

/** Starts a local APNs and a client connected to it. */
export async function openApns(
  tls: Tls,
  emulator: Partial<ApnsOptions> = {},
  options: Partial<GatewayOptions> = {},
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

/** Starts a local FCM (HTTP/2 over TLS, or HTTP/1.1 without `tls`) and a client connected to it. */
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

/** Sends one notification to all of these. Returns the number of each outcome with its reason. */
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
