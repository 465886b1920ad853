import { Errors } from 'apns2'
import type { Clock } from '../clock.ts'
import { type Answer, jsonOf, outcomeOfBroken, type Reply, wordOf } from '../gateway/reply.ts'
import { type OnResult, reportTo } from '../gateway/report.ts'
import { retryAfterMs } from '../gateway/retry-after.ts'
import { createTransport, type Transport } from '../gateway/transport.ts'
import type { Logger } from '../log.ts'
import type { Outcome } from '../push/outcome.ts'
import type { ApnsEnvironment, Gateway } from '../push/ports.ts'
import { type ApnsPrepared, apnsId, prepare } from './payload.ts'
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
  log: Logger
  clock: Clock
  onResult?: OnResult
  maxInFlight?: number
  timeoutMs?: number
}

const DEVICE_TOKEN = /^[0-9a-f]+$/i
/** A push is sent once more with a new provider token. */
const MAX_ATTEMPTS = 2
const DRAIN_MS = 20_000
/** While our provider token is refused one request a second asks whether it still is; the others wait with it. */
const REFUSED_PAUSE_MS = 1000
/** The last millisecond a Date can hold. */
const MAX_TIME_MS = 8.64e15

/** APNs over HTTP/2 with a provider token; each device through the endpoint of its own environment. */
export function createApnsGateway(config: ApnsConfig, options: ApnsOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs } = options
  const providerToken = createProviderToken(config, clock)
  const report = reportTo('ios', options.onResult)
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

  /** What an answer means; undefined: our provider token had expired, and there is a new one now. */
  function judge(reply: Reply, transport: Transport, credential: string): Outcome | undefined {
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
    const isExpired = refusal.reason === Errors.expiredProviderToken
    if (isExpired && providerToken.renewedAfter(credential)) return undefined
    transport.pause(refusal.reason!, REFUSED_PAUSE_MS)
    return outcomeOf({ ...refusal, retryAfterMs: REFUSED_PAUSE_MS })
  }

  return {
    platform: 'ios',

    prepare: (notification) => prepare(notification, config.topic, clock.now()),

    // One async frame and one closure per push that waits: with 100,000 of them the garbage collector
    // took a quarter of the time when there were three.
    async send(prepared, target, onTurn) {
      const startedAt = performance.now()
      // Anything else would be another path at the gateway.
      if (!DEVICE_TOKEN.test(target.token))
        return report({ kind: 'suspect', reason: Errors.badDeviceToken }, startedAt)
      const { headers, body, messageId } = prepared as ApnsPrepared
      const transport = transportTo(target.environment)
      let credential = ''
      const request = () => {
        if (onTurn && !onTurn()) return undefined
        credential = `bearer ${providerToken.current()}`
        return {
          path: `/3/device/${target.token}`,
          headers: { ...headers, 'apns-id': apnsId(messageId, target.deviceId), authorization: credential },
          body,
        }
      }
      for (let attempt = 1; ; attempt++) {
        const reply = await transport.send(prepared, request)
        const outcome = judge(reply, transport, credential.slice('bearer '.length))
        if (outcome) return report(outcome, startedAt)
        if (attempt === MAX_ATTEMPTS)
          return report({ kind: 'retry', reason: Errors.expiredProviderToken }, startedAt)
      }
    },

    async close(drainMs = DRAIN_MS) {
      await Promise.all([...transports.values()].map((transport) => transport.close(drainMs)))
    },
  }
}

function refusalIn(answer: Answer, now: Date): Refusal {
  const { reason, timestamp } = jsonOf(answer) ?? {}
  return {
    status: answer.status,
    reason: wordOf(reason),
    timestamp: typeof timestamp === 'number' && Math.abs(timestamp) <= MAX_TIME_MS ? timestamp : undefined,
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], now),
  }
}
