import type { IncomingHttpHeaders } from 'node:http'
import type { Outcome } from '../push/outcome.ts'

/** Why there is no response: reasons of this sender, beside those of the gateways. */
export type FailureReason =
  /** No connection could be made, or it is too early to try again: the push was not sent. */
  | 'UNREACHABLE'
  /** The connection or stream broke with the push on it: it may have been accepted. */
  | 'CONNECTION_LOST'
  /** The gateway says that it has not processed the push. */
  | 'STREAM_REFUSED'
  /** The same, because the connection is closing: the push belongs on another one. */
  | 'GOAWAY'
  /** No complete response within the timeout: it may have been accepted. */
  | 'TIMEOUT'
  /** A response that breaks the protocol or is absurdly large. */
  | 'BAD_ANSWER'
  /** This process is shutting down: the push was not sent. */
  | 'SHUTTING_DOWN'
  /** Its caller no longer waited for it when its turn came: the push was not sent. */
  | 'GIVEN_UP'
  /** It cannot be written as a request, such as a topic with a line break. */
  | 'UNSENDABLE'

/** What came of one request. */
export type Reply =
  | { kind: 'response'; status: number; headers: IncomingHttpHeaders; body: string }
  /** `reason`: one of ours, or the gateway's own reason for which everything is paused (`Transport.pause`). */
  | { kind: 'failure'; reason: FailureReason | (string & {}); afterMs?: number }

export type GatewayResponse = Extract<Reply, { kind: 'response' }>
export type GatewayFailure = Extract<Reply, { kind: 'failure' }>

export function failure(reason: GatewayFailure['reason'], afterMs?: number): GatewayFailure {
  return afterMs === undefined ? { kind: 'failure', reason } : { kind: 'failure', reason, afterMs }
}

/** A push without a response is retried even if it may have been accepted: its collapse id makes it show once. */
export function outcomeOfFailure(reply: GatewayFailure): Outcome {
  if (reply.reason === 'UNSENDABLE') return { kind: 'rejected', reason: reply.reason }
  return { ...reply, kind: 'retry' }
}

/** The body as a JSON object; undefined for anything else (a proxy's HTML page, an empty body). */
export function jsonBody(response: GatewayResponse): Record<string, unknown> | undefined {
  if (!response.body.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(response.body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * A gateway's reason, such as `BadDeviceToken`; undefined for anything else. It is stored and shown, and PostgreSQL
 * does not take NUL: a result with such a reason could never be recorded.
 */
export function reasonIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,100}$/.test(value) ? value : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gateways respond with less than 1 KB; anything longer comes from something else. */
export const MAX_BODY_BYTES = 64 * 1024
