import type { IncomingHttpHeaders } from 'node:http'

/** Why there is no answer. Words of ours, beside those of the gateways; all of them mean "try again". */
export type Broken =
  /** No connection could be made, or it is too early to try again: the push was not sent. */
  | 'UNREACHABLE'
  /** The connection or stream broke with the push on it: it may have been taken. */
  | 'CONNECTION_LOST'
  /** The gateway refused the stream, twice: it has not looked at the push. */
  | 'STREAM_REFUSED'
  /** No complete answer within the time limit: it may have been taken. */
  | 'TIMEOUT'
  /** An answer that breaks the protocol or is absurdly large. */
  | 'BAD_ANSWER'
  /** This process is about to end: the push was not sent. */
  | 'SHUTTING_DOWN'

/** What came of one request. */
export type Reply =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string }
  | { kind: 'broken'; reason: Broken; afterMs?: number }

export type Answer = Extract<Reply, { kind: 'answer' }>

/** The answer's body as a JSON object; undefined for anything else (a proxy's HTML page, nothing at all). */
export function jsonOf(answer: Answer): Record<string, unknown> | undefined {
  if (!answer.body.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(answer.body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
