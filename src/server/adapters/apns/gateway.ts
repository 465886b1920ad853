import type { ApnsEnvironment, Gateway, Outcome } from '../../domain/push/delivery/gateway.ts'
import { DRAIN_MS, type GatewayOptions, MAX_ATTEMPTS, reportTo } from '../http2/gateway-options.ts'
import {
  type GatewayResponse,
  jsonBody,
  outcomeOfFailure,
  type Reply,
  reasonIn,
  retryAfterMs,
} from '../http2/reply.ts'
import { createTransport, type Transport } from '../http2/transport.ts'
import { type ApnsPrepared, apnsId, prepare } from './payload.ts'
import { createProviderToken } from './provider-token.ts'
import { type ApnsReason, isCredentialRejected, outcomeOf, type Rejection } from './reasons.ts'

export type ApnsConfig = {
  teamId: string
  keyId: string
  /** PEM. */
  privateKey: string
  topic: string
  endpoint: string
  sandboxEndpoint: string
}

const DEVICE_TOKEN = /^[0-9a-f]+$/i
const BAD_DEVICE_TOKEN: ApnsReason = 'BadDeviceToken'
const EXPIRED_PROVIDER_TOKEN: ApnsReason = 'ExpiredProviderToken'
/** Interval between trial requests while APNs rejects the provider token. All other requests wait. */
const CREDENTIAL_PAUSE_MS = 1000
/** Latest time that a Date can hold. */
const MAX_TIME_MS = 8.64e15

/** APNs over HTTP/2 with a provider token. Each device is reached through the endpoint of its environment. */
export function createApnsGateway(config: ApnsConfig, options: GatewayOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs } = options
  const providerToken = createProviderToken(config, clock)
  const report = reportTo('ios', options.onResult)
  const transports = new Map<ApnsEnvironment, Transport>()

  function transportTo(environment: ApnsEnvironment): Transport {
    const known = transports.get(environment)
    if (known) return known
    const { origin } = new URL(environment === 'sandbox' ? config.sandboxEndpoint : config.endpoint)
    // Apple: a new connection allows one stream until a request with a valid provider token has succeeded.
    const transport = createTransport({ origin, log, maxInFlight, timeoutMs, isTrial: true })
    transports.set(environment, transport)
    return transport
  }

  /** Returns what a reply means, or undefined if the provider token had expired and has been renewed. */
  function outcomeOfReply(reply: Reply, transport: Transport, sentToken: string): Outcome | undefined {
    if (reply.kind === 'failure') return outcomeOfFailure(reply)
    if (reply.status === 200) {
      transport.endTrial()
      return { kind: 'accepted' }
    }
    const rejection = rejectionIn(reply, clock.now())
    if (!isCredentialRejected(rejection.reason)) {
      transport.endTrial()
      return outcomeOf(rejection)
    }
    transport.startTrial()
    const isExpired = rejection.reason === EXPIRED_PROVIDER_TOKEN
    if (isExpired && providerToken.renewedAfter(sentToken)) return undefined
    transport.pause(rejection.reason!, CREDENTIAL_PAUSE_MS)
    return outcomeOf({ ...rejection, retryAfterMs: CREDENTIAL_PAUSE_MS })
  }

  return {
    platform: 'ios',

    prepare: (notification) => prepare(notification, config.topic, clock.now()),

    // One async frame and one closure per queued push: with three, garbage collection took a quarter of the time for
    // 100,000 pushes.
    async send(prepared, target, onTurn) {
      const startedAt = performance.now()
      // Other characters would change the request's path.
      if (!DEVICE_TOKEN.test(target.token))
        return report({ kind: 'suspect', reason: BAD_DEVICE_TOKEN }, startedAt)
      const { headers, body, messageId } = prepared as ApnsPrepared
      const transport = transportTo(target.environment)
      let sentToken = ''
      const request = () => {
        if (onTurn && !onTurn()) return undefined
        sentToken = providerToken.current()
        const id = apnsId(messageId, target.deviceId)
        return {
          path: `/3/device/${target.token}`,
          headers: { ...headers, 'apns-id': id, authorization: `bearer ${sentToken}` },
          body,
        }
      }
      for (let attempt = 1; ; attempt++) {
        const reply = await transport.send(messageId, request)
        const outcome = outcomeOfReply(reply, transport, sentToken)
        if (outcome) return report(outcome, startedAt)
        if (attempt === MAX_ATTEMPTS)
          return report({ kind: 'retry', reason: EXPIRED_PROVIDER_TOKEN }, startedAt)
      }
    },

    async close(drainMs = DRAIN_MS) {
      await Promise.all([...transports.values()].map((transport) => transport.close(drainMs)))
    },
  }
}

function rejectionIn(response: GatewayResponse, now: Date): Rejection {
  const { reason, timestamp } = jsonBody(response) ?? {}
  return {
    status: response.status,
    reason: reasonIn(reason),
    timestamp: typeof timestamp === 'number' && Math.abs(timestamp) <= MAX_TIME_MS ? timestamp : undefined,
    retryAfterMs: retryAfterMs(response.headers['retry-after'], now),
  }
}
