import { randomUUID } from 'node:crypto'
import { Errors } from 'apns2'
import type { Clock } from '../clock.ts'
import type { GatewayLog } from '../gateway/log.ts'
import { measured, type OnResult } from '../gateway/measured.ts'
import { type Answer, jsonOf, outcomeOfBroken } from '../gateway/reply.ts'
import { retryAfterMs } from '../gateway/retry-after.ts'
import { createTransport, type Transport } from '../gateway/transport.ts'
import type { Outcome } from '../push/outcome.ts'
import type { ApnsEnvironment, Gateway, Target } from '../push/ports.ts'
import { type ApnsPrepared, prepare } from './payload.ts'
import { createProviderToken } from './provider-token.ts'
import { isOurs, outcomeOf, type Refusal } from './reasons.ts'

export type ApnsConfig = {
  teamId: string
  keyId: string
  /** PEM. */
  privateKey: string
  topic: string
  endpoint: string
  sandboxEndpoint: string
}

export type ApnsOptions = {
  log: GatewayLog
  clock: Clock
  onResult?: OnResult
  maxInFlight?: number
  timeoutMs?: number
}

const DEVICE_TOKEN = /^[0-9a-f]+$/i
const DRAIN_MS = 20_000
/** While our provider token is refused one request a second asks whether it still is; the others wait with it. */
const REFUSED_PAUSE_MS = 1000
/** The last millisecond a Date can hold. */
const MAX_TIME_MS = 8.64e15

/** APNs over HTTP/2 with a provider token; each device through the endpoint of its own environment. */
export function createApnsGateway(config: ApnsConfig, options: ApnsOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs } = options
  const providerToken = createProviderToken(config, clock)
  const transports = new Map<ApnsEnvironment, Transport>()

  function transportTo(environment: ApnsEnvironment): Transport {
    const known = transports.get(environment)
    if (known) return known
    const origin = new URL(environment === 'sandbox' ? config.sandboxEndpoint : config.endpoint).origin
    // Apple: a new connection has one stream until a request with a valid provider token came through it.
    const transport = createTransport({ origin, log, maxInFlight, timeoutMs, startNarrow: true })
    transports.set(environment, transport)
    return transport
  }

  async function attempt(prepared: ApnsPrepared, target: Target): Promise<Outcome | 'renewed'> {
    const transport = transportTo(target.environment)
    let credential = ''
    const reply = await transport.send(prepared, () => {
      credential = providerToken.current()
      return {
        path: `/3/device/${target.token}`,
        headers: { ...prepared.headers, 'apns-id': randomUUID(), authorization: `bearer ${credential}` },
        body: prepared.body,
      }
    })
    if (reply.kind === 'broken') return outcomeOfBroken(reply)
    if (reply.status === 200) {
      transport.widen()
      return { kind: 'accepted' }
    }
    const refusal = refusalIn(reply, clock.now())
    if (!isOurs(refusal.reason)) {
      transport.widen()
      return outcomeOf(refusal)
    }
    transport.narrow()
    if (refusal.reason === Errors.expiredProviderToken && providerToken.renewedAfter(credential))
      return 'renewed'
    transport.pause(refusal.reason!, REFUSED_PAUSE_MS)
    return outcomeOf({ ...refusal, retryAfterMs: REFUSED_PAUSE_MS })
  }

  const gateway: Gateway = {
    platform: 'ios',

    prepare: (notification) => prepare(notification, config.topic, clock.now()),

    async send(prepared, target) {
      // Anything else would be another path at the gateway.
      if (!DEVICE_TOKEN.test(target.token)) return { kind: 'suspect', reason: Errors.badDeviceToken }
      const first = await attempt(prepared as ApnsPrepared, target)
      if (first !== 'renewed') return first
      const second = await attempt(prepared as ApnsPrepared, target)
      return second === 'renewed' ? { kind: 'retry', reason: Errors.expiredProviderToken } : second
    },

    async close(drainMs = DRAIN_MS) {
      await Promise.all([...transports.values()].map((transport) => transport.close(drainMs)))
    },
  }
  return measured(gateway, options.onResult)
}

function refusalIn(answer: Answer, now: Date): Refusal {
  const { reason, timestamp } = jsonOf(answer) ?? {}
  return {
    status: answer.status,
    reason: typeof reason === 'string' && reason !== '' ? reason : undefined,
    timestamp: typeof timestamp === 'number' && Math.abs(timestamp) <= MAX_TIME_MS ? timestamp : undefined,
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], now),
  }
}
