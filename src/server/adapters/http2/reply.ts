import type { IncomingHttpHeaders } from 'node:http'
import type { Outcome } from '../../domain/push/delivery/gateway.ts'
import { isRecord } from '../../kernel/validation.ts'

/** Why there is no response. Gateways have their own reasons for responses. */
export type FailureReason =
  /** No connection could be opened, or backoff has not ended. The push was not sent. */
  | 'UNREACHABLE'
  /** The connection or stream broke during the push, which may have been accepted. */
  | 'CONNECTION_LOST'
  /** The gateway reports that it has not processed the push. */
  | 'STREAM_REFUSED'
  /** As STREAM_REFUSED, because the connection is closing. The push needs another one. */
  | 'GOAWAY'
  /** No complete response within the timeout. The push may have been accepted. */
  | 'TIMEOUT'
  /** The response breaks the protocol or is far too large. */
  | 'BAD_ANSWER'
  /** This process is shutting down. The push was not sent. */
  | 'SHUTTING_DOWN'
  /** The caller had stopped waiting when the push's turn came. It was not sent. */
  | 'GIVEN_UP'
  /** The push cannot be written as a request, such as a topic with a line break. */
  | 'UNSENDABLE'

/** Result of one request. */
export type Reply =
  | { kind: 'response'; status: number; headers: IncomingHttpHeaders; body: string }
  /** `reason` is a FailureReason, or the gateway's reason for a pause (`Transport.pause`). */
  | { kind: 'failure'; reason: FailureReason | (string & {}); afterMs?: number }

export type GatewayResponse = Extract<Reply, { kind: 'response' }>
export type GatewayFailure = Extract<Reply, { kind: 'failure' }>

export function failure(reason: GatewayFailure['reason'], afterMs?: number): GatewayFailure {
  return { kind: 'failure', reason, afterMs }
}

/**
 * A push without a response is retried even if it may have been accepted: its collapse ID ensures that it is shown
 * once.
 */
export function outcomeOfFailure({ reason, afterMs }: GatewayFailure): Outcome {
  return reason === 'UNSENDABLE' ? { kind: 'rejected', reason } : { kind: 'retry', reason, afterMs }
}

/** Returns the body as a JSON object, or undefined for anything else, such as a proxy's HTML page. */
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
 * Returns a gateway's reason, such as `BadDeviceToken`, or undefined for anything else. Reasons are stored and shown,
 * and PostgreSQL rejects NUL: a result with such a reason could never be recorded.
 */
export function reasonIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,100}$/.test(value) ? value : undefined
}

/** Gateways respond with less than 1 KB. Anything longer comes from something else. */
export const MAX_BODY_BYTES = 64 * 1024

/** Longer waits must be a fault of the gateway's clock. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000

/** Returns `Retry-After` in milliseconds from now, or undefined. Takes seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms))) : undefined
}
