import { ACCEPTED, type Gateway, type Outcome } from '../../domain/push/delivery/gateway.ts'
import { DRAIN_MS, type GatewayOptions, reportTo } from '../http2/gateway-options.ts'
import { type Destination, sendPush } from '../http2/gateway-push.ts'
import { jsonBody, outcomeOfFailure, type Reply, retryAfterMs } from '../http2/reply.ts'
import { type Rate, TokenBucket } from '../http2/token-bucket.ts'
import { createTransport } from '../http2/transport.ts'
import { AccessTokens, type Credential } from './access-token.ts'
import { type FcmCredentials, fetchAccessTokenWith } from './credentials.ts'
import { bodyFor, type FcmPrepared, prepare } from './message.ts'
import { errorIn, outcomeOf } from './reasons.ts'

export type FcmConfig = FcmCredentials & { endpoint: string }

export type FcmOptions = GatewayOptions & {
  /** Quota of the project, which its gateways can share. Default: FCM's, for this gateway alone. */
  rate?: Rate | TokenBucket
}

/** FCM's default quota for a project. */
export const FCM_QUOTA: Rate = { perMinute: 600_000 }
/** Google's servers allow 100 streams per connection, so 2,000 requests in flight need 20. */
const CONNECTIONS = 20
/** Consecutive responses that ask us to wait, after which sending pauses for that long. */
const MAX_CONSECUTIVE_WAITS = 50

/** FCM HTTP v1 with OAuth access tokens. */
export function createFcmGateway(config: FcmConfig, options: FcmOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs, rate = FCM_QUOTA } = options
  const { origin, pathname } = new URL(config.endpoint)
  const path = `${pathname.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(config.projectId)}/messages:send`
  const bucket = rate instanceof TokenBucket ? rate : new TokenBucket(rate, performance.now())
  const transport = createTransport({ origin, log, maxInFlight, timeoutMs, bucket, connections: CONNECTIONS })
  const tokens = new AccessTokens(fetchAccessTokenWith(config), { clock, log })
  let consecutiveWaits = 0
  /** Last token that was usable when a push was queued. */
  let lastToken = ''

  /** Returns what a reply means, or undefined if FCM rejected the access token and there may be a newer one. */
  function outcomeOfReply(reply: Reply, credential: string): Outcome | undefined {
    if (reply.kind === 'failure') return outcomeOfFailure(reply)
    if (reply.status === 200) {
      tokens.accepted()
      consecutiveWaits = 0
      return ACCEPTED
    }
    const afterMs = retryAfterMs(reply.headers['retry-after'], clock.now())
    const error = errorIn(reply.status, jsonBody(reply), afterMs)
    if (error.status !== 401 || error.errorCode === 'THIRD_PARTY_AUTH_ERROR')
      return pauseIfOverQuota(outcomeOf(error))
    const waitMs = tokens.rejected(credential)
    return waitMs === 0 ? undefined : outcomeOf({ ...error, retryAfterMs: waitMs })
  }

  /**
   * Pauses after many consecutive responses that ask us to wait: then the project's quota is used up, not one device's.
   */
  function pauseIfOverQuota(outcome: Outcome): Outcome {
    const afterMs = outcome.kind === 'retry' ? outcome.afterMs : undefined
    consecutiveWaits = afterMs === undefined ? 0 : consecutiveWaits + 1
    if (outcome.kind === 'retry' && consecutiveWaits >= MAX_CONSECUTIVE_WAITS)
      transport.pause(outcome.reason, afterMs ?? 0)
    return outcome
  }

  /** Waits for an access token, which is nearly always available. */
  function awaitCredential(): Outcome | undefined | Promise<Outcome | undefined> {
    const held = tokens.get()
    return held instanceof Promise ? held.then(missing) : missing(held)
  }

  function missing(credential: Credential): Outcome | undefined {
    if ('afterMs' in credential)
      return { kind: 'retry', reason: 'NO_ACCESS_TOKEN', afterMs: credential.afterMs }
    lastToken = credential.value
    return undefined
  }

  const destination: Destination<FcmPrepared> = {
    transport,
    report: reportTo('android', options.onResult),
    unauthorized: { kind: 'retry', reason: 'UNAUTHENTICATED' },
    awaitCredential,
    // The turn can come long after the push was queued, so use the newest token.
    credential: () => tokens.newest ?? lastToken,
    requestFor: (prepared, target, token) => ({
      path,
      headers: ['content-type', 'application/json', 'authorization', `Bearer ${token}`],
      body: bodyFor(prepared, target.token),
    }),
    outcomeOf: outcomeOfReply,
  }

  return {
    platform: 'android',

    prepare: (notification) => prepare(notification, clock.now()),

    send: (prepared, target, onTurn) => sendPush(destination, prepared as FcmPrepared, target, onTurn),

    close: (drainMs = DRAIN_MS) => transport.close(drainMs),
  }
}
