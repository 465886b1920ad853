import type { Clock } from '../clock.ts'
import type { Rate } from '../gateway/bucket.ts'
import type { GatewayLog } from '../gateway/log.ts'
import { measured, type OnResult } from '../gateway/measured.ts'
import { jsonOf, outcomeOfBroken } from '../gateway/reply.ts'
import { retryAfterMs } from '../gateway/retry-after.ts'
import { createTransport } from '../gateway/transport.ts'
import type { Outcome } from '../push/outcome.ts'
import type { Gateway, Target } from '../push/ports.ts'
import { AccessTokens } from './access-token.ts'
import { type FcmCredentials, fetchAccessTokenWith } from './credentials.ts'
import { faultIn, outcomeOf } from './errors.ts'
import { bodyFor, type FcmPrepared, prepare } from './message.ts'

export type FcmConfig = FcmCredentials & { projectId: string; endpoint: string }

export type FcmOptions = {
  log: GatewayLog
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
const WAITS_TO_PAUSE = 50
const DRAIN_MS = 20_000

/** FCM HTTP v1 with OAuth access tokens. */
export function createFcmGateway(config: FcmConfig, options: FcmOptions): Gateway {
  const { log, clock, maxInFlight, timeoutMs, rate = DEFAULT_RATE } = options
  const { origin, pathname } = new URL(config.endpoint)
  const path = `${pathname.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(config.projectId)}/messages:send`
  const transport = createTransport({ origin, log, maxInFlight, timeoutMs, rate, connections: CONNECTIONS })
  let waitsInARow = 0
  const tokens = new AccessTokens(fetchAccessTokenWith(config), { clock, log })

  async function attempt(prepared: FcmPrepared, target: Target): Promise<Outcome | 'renewed'> {
    const credential = await tokens.get()
    if ('afterMs' in credential)
      return { kind: 'retry', reason: 'NO_ACCESS_TOKEN', afterMs: credential.afterMs }
    const reply = await transport.send(prepared, () => ({
      path,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credential.value}` },
      body: bodyFor(prepared, target.token),
    }))
    if (reply.kind === 'broken') return outcomeOfBroken(reply)
    if (reply.status === 200) {
      tokens.accepted()
      waitsInARow = 0
      return { kind: 'accepted' }
    }
    const afterMs = retryAfterMs(reply.headers['retry-after'], clock.now())
    const fault = faultIn(reply.status, jsonOf(reply), afterMs)
    if (fault.status === 401 && fault.errorCode !== 'THIRD_PARTY_AUTH_ERROR') {
      const waitMs = tokens.refused(credential.value)
      return waitMs === 0 ? 'renewed' : outcomeOf({ ...fault, retryAfterMs: waitMs })
    }
    return patient(outcomeOf(fault))
  }

  /** Stops everything after many answers in a row that want us to wait: then it is the project's quota, not one device's. */
  function patient(outcome: Outcome): Outcome {
    const isWait = outcome.kind === 'retry' && outcome.afterMs !== undefined
    waitsInARow = isWait ? waitsInARow + 1 : 0
    if (isWait && waitsInARow >= WAITS_TO_PAUSE) transport.pause(outcome.reason, outcome.afterMs ?? 0)
    return outcome
  }

  const gateway: Gateway = {
    platform: 'android',

    prepare: (notification) => prepare(notification, clock.now()),

    async send(prepared, target) {
      const first = await attempt(prepared as FcmPrepared, target)
      if (first !== 'renewed') return first
      const second = await attempt(prepared as FcmPrepared, target)
      return second === 'renewed' ? { kind: 'retry', reason: 'UNAUTHENTICATED' } : second
    },

    close: (drainMs = DRAIN_MS) => transport.close(drainMs),
  }
  return measured(gateway, options.onResult)
}
