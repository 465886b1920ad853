import {
  ACCEPTED,
  type ApnsEnvironment,
  type Gateway,
  type Outcome,
  type Target,
} from '../../domain/push/delivery/gateway.ts'
import type { PushRequest } from '../http2/connection-pool.ts'
import { DRAIN_MS, type GatewayOptions, reportTo } from '../http2/gateway-options.ts'
import { type Destination, sendPush } from '../http2/gateway-push.ts'
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
  const destinations = new Map<ApnsEnvironment, Destination<ApnsPrepared>>()

  function destinationOf(environment: ApnsEnvironment): Destination<ApnsPrepared> {
    const known = destinations.get(environment)
    if (known) return known
    const { origin } = new URL(environment === 'sandbox' ? config.sandboxEndpoint : config.endpoint)
    // Apple: a new connection allows one stream until a request with a valid provider token has succeeded.
    const transport = createTransport({ origin, log, maxInFlight, timeoutMs, isTrial: true })
    const destination: Destination<ApnsPrepared> = {
      transport,
      report,
      unauthorized: { kind: 'retry', reason: EXPIRED_PROVIDER_TOKEN },
      credential: providerToken.current,
      requestFor,
      outcomeOf: (reply, sentToken) => outcomeOfReply(reply, transport, sentToken),
    }
    destinations.set(environment, destination)
    return destination
  }

  /** Returns what a reply means, or undefined if the provider token had expired and has been renewed. */
  function outcomeOfReply(reply: Reply, transport: Transport, sentToken: string): Outcome | undefined {
    if (reply.kind === 'failure') return outcomeOfFailure(reply)
    if (reply.status === 200) {
      transport.endTrial()
      return ACCEPTED
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

    send(prepared, target, onTurn) {
      // Other characters would change the request's path.
      if (!DEVICE_TOKEN.test(target.token))
        return Promise.resolve(report({ kind: 'suspect', reason: BAD_DEVICE_TOKEN }, performance.now()))
      return sendPush(destinationOf(target.environment), prepared as ApnsPrepared, target, onTurn)
    },

    async close(drainMs = DRAIN_MS) {
      await Promise.all([...destinations.values()].map(({ transport }) => transport.close(drainMs)))
    },
  }
}

function requestFor({ headers, body, messageId }: ApnsPrepared, target: Target, token: string): PushRequest {
  const id = apnsId(messageId, target.deviceId)
  return {
    path: `/3/device/${target.token}`,
    headers: [...headers, 'apns-id', id, 'authorization', `bearer ${token}`],
    body,
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
