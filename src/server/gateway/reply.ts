import type { IncomingHttpHeaders } from 'node:http'
import type { Outcome } from '../push/outcome.ts'

/** Why there is no answer. Words of ours, beside those of the gateways. */
export type Broken =
  /** No connection could be made, or it is too early to try again: the push was not sent. */
  | 'UNREACHABLE'
  /** The connection or stream broke with the push on it: it may have been taken. */
  | 'CONNECTION_LOST'
  /** The gateway says that it has not looked at the push. */
  | 'STREAM_REFUSED'
  /** The same, because the connection is ending: the push belongs on another one. */
  | 'GOAWAY'
  /** No complete answer within the time limit: it may have been taken. */
  | 'TIMEOUT'
  /** An answer that breaks the protocol or is absurdly large. */
  | 'BAD_ANSWER'
  /** This process is about to end: the push was not sent. */
  | 'SHUTTING_DOWN'
  /** Nobody waited for it any longer when its turn came: the push was not sent. */
  | 'GIVEN_UP'
  /** It cannot be put into a request at all, such as a topic with a line break. */
  | 'UNSENDABLE'

/** What came of one request. */
export type Reply =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string }
  /** `reason`: one of ours, or the gateway's own word for which nothing is sent at the moment (`Transport.pause`). */
  | { kind: 'broken'; reason: Broken | (string & {}); afterMs?: number }

export type Answer = Extract<Reply, { kind: 'answer' }>
export type BrokenReply = Extract<Reply, { kind: 'broken' }>

export function broken(reason: BrokenReply['reason'], afterMs?: number): BrokenReply {
  return afterMs === undefined ? { kind: 'broken', reason } : { kind: 'broken', reason, afterMs }
}

/** Without an answer a push is tried again, even if it may have been taken: the same collapse identity shows it once. */
export function outcomeOfBroken(reply: BrokenReply): Outcome {
  if (reply.reason === 'UNSENDABLE') return { kind: 'rejected', reason: reply.reason }
  return { ...reply, kind: 'retry' }
}

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

/**
 * A gateway's word for what happened, such as `BadDeviceToken`; undefined for anything else. It is stored and
 * shown: NUL, which PostgreSQL does not take, would keep a result from ever being recorded.
 */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,100}$/.test(value) ? value : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gateways answer with under 1 KB; what is longer comes from something else. */
export const MAX_ANSWER_BYTES = 64 * 1024
