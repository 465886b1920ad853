import type { Gateway, Outcome } from '../../domain/push/delivery/gateway.ts'
import { DRAIN_MS, type GatewayOptions, MAX_ATTEMPTS, reportTo } from '../http2/gateway-options.ts'
import { jsonBody, outcomeOfFailure, type Reply, retryAfterMs } from '../http2/reply.ts'
import { type Rate, TokenBucket } from '../http2/token-bucket.ts'
import { createTransport } from '../http2/transport.ts'
import { AccessTokens } from './access-token.ts'
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
  const report = reportTo('android', options.onResult)
  const tokens = new AccessTokens(fetchAccessTokenWith(config), { clock, log })
  let consecutiveWaits = 0

  /** Returns what a reply means, or undefined if FCM rejected the access token and there may be a newer one. */
  function outcomeOfReply(reply: Reply, credential: string): Outcome | undefined {
    if (reply.kind === 'failure') return outcomeOfFailure(reply)
    if (reply.status === 200) {
      tokens.accepted()
      consecutiveWaits = 0
      return { kind: 'accepted' }
    }
    const afterMs = retryAfterMs(reply.headers['retry-after'], clock.now())
    const error = errorIn(reply.status, jsonBody(reply), afterMs)
    if (error.status !== 401 || error.errorCode === 'THIRD_PARTY_AUTH_ERROR')
      return pauseIfOverQuota(outcomeOf(error))
    const waitMs = tokens.rejected(credential)
    return waitMs === 0 ? undefined : outcomeOf({ ...error, retryAfterMs: waitMs })
  }

  /**
   * Pauses after many consecutive requests to wait, which mean that the project's quota is used up, not one device's.
   */
  function pauseIfOverQuota(outcome: Outcome): Outcome {
    const afterMs = outcome.kind === 'retry' ? outcome.afterMs : undefined
    consecutiveWaits = afterMs === undefined ? 0 : consecutiveWaits + 1
    if (outcome.kind === 'retry' && consecutiveWaits >= MAX_CONSECUTIVE_WAITS)
      transport.pause(outcome.reason, afterMs ?? 0)
    return outcome
  }

  return {
    platform: 'android',

    prepare: (notification) => prepare(notification, clock.now()),

    // One async frame and one closure per queued push, as for APNs.
    async send(prepared, target, onTurn) {
      const startedAt = performance.now()
      const { messageId } = prepared as FcmPrepared
      let credential = ''
      const request = () => {
        if (onTurn && !onTurn()) return undefined
        // The turn can come long after `get`, so use the newest token.
        credential = tokens.newest ?? credential
        return {
          path,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
          body: bodyFor(prepared as FcmPrepared, target.token),
        }
      }
      for (let attempt = 1; ; attempt++) {
        const held = tokens.get()
        const got = held instanceof Promise ? await held : held
        if ('afterMs' in got)
          return report({ kind: 'retry', reason: 'NO_ACCESS_TOKEN', afterMs: got.afterMs }, startedAt)
        credential = got.value
        const outcome = outcomeOfReply(await transport.send(messageId, request), credential)
        if (outcome) return report(outcome, startedAt)
        if (attempt === MAX_ATTEMPTS) return report({ kind: 'retry', reason: 'UNAUTHENTICATED' }, startedAt)
      }
    },

    close: (drainMs = DRAIN_MS) => transport.close(drainMs),
  }
}
