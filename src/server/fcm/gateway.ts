import type { Clock } from '../clock.ts'
import { jsonBody, outcomeOfFailure, type Reply } from '../gateway/reply.ts'
import { type OnResult, reportTo } from '../gateway/report.ts'
import { retryAfterMs } from '../gateway/retry-after.ts'
import type { Rate } from '../gateway/token-bucket.ts'
import { createTransport } from '../gateway/transport.ts'
import type { Logger } from '../log.ts'
import type { Outcome } from '../push/outcome.ts'
import type { Gateway } from '../push/ports.ts'
import { AccessTokens } from './access-token.ts'
import { type FcmCredentials, fetchAccessTokenWith } from './credentials.ts'
import { errorIn, outcomeOf } from './errors.ts'
import { bodyFor, type FcmPrepared, prepare } from './message.ts'

export type FcmConfig = FcmCredentials & { endpoint: string }

export type FcmOptions = {
  log: Logger
  clock: Clock
  onResult?: OnResult
  maxInFlight?: number
  timeoutMs?: number
  /** Default: FCM's own quota for a project, 600,000 a minute. */
  rate?: Rate
}

const DEFAULT_RATE: Rate = { perMinute: 600_000 }
/** Google's front ends allow 100 streams on a connection: 2,000 in flight need 20. */
const CONNECTIONS = 20
/** Responses in a row that ask us to wait, after which nothing is sent for that long. */
const MAX_CONSECUTIVE_WAITS = 50
/** A push is sent once more with a new access token. */
const MAX_ATTEMPTS = 2
const DRAIN_MS = 20_000

/** FCM HTTP v1 with OAuth access tokens. */
export function createFcmGateway(config: FcmConfig, options: FcmOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs, rate = DEFAULT_RATE } = options
  const { origin, pathname } = new URL(config.endpoint)
  const path = `${pathname.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(config.projectId)}/messages:send`
  const transport = createTransport({ origin, log, maxInFlight, timeoutMs, rate, connections: CONNECTIONS })
  const report = reportTo('android', options.onResult)
  let consecutiveWaits = 0
  const tokens = new AccessTokens(fetchAccessTokenWith(config), { clock, log })

  /** What a reply means; undefined: FCM refused the access token, and there may be a newer one. */
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
    const waitMs = tokens.refused(credential)
    return waitMs === 0 ? undefined : outcomeOf({ ...error, retryAfterMs: waitMs })
  }

  /** Pauses after many responses in a row that ask us to wait: the project's quota is used up, not one device's. */
  function pauseIfOverQuota(outcome: Outcome): Outcome {
    const isWait = outcome.kind === 'retry' && outcome.afterMs !== undefined
    consecutiveWaits = isWait ? consecutiveWaits + 1 : 0
    if (isWait && consecutiveWaits >= MAX_CONSECUTIVE_WAITS)
      transport.pause(outcome.reason, outcome.afterMs ?? 0)
    return outcome
  }

  return {
    platform: 'android',

    prepare: (notification) => prepare(notification, clock.now()),

    // One async frame and one closure for each queued push, as for APNs.
    async send(prepared, target, onTurn) {
      const startedAt = performance.now()
      const { messageId } = prepared as FcmPrepared
      let credential = ''
      const request = () => {
        if (onTurn && !onTurn()) return undefined
        // The newest one when its turn comes, which may be long after `get`.
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
