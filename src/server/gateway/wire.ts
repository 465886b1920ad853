import type { OutgoingHttpHeaders } from 'node:http2'
import type { Reply } from './reply.ts'

/** One POST to a gateway. */
export type PushRequest = { path: string; headers: OutgoingHttpHeaders; body: Buffer | string }

/** Connections to one gateway, in whatever protocol it speaks. */
export type Wire = {
  /** Whether a request could be put on a stream now. */
  hasRoom(): boolean
  /** There was no room: opens a connection if that helps and is allowed. */
  grow(): void
  /** Whether any connection is open. */
  isConnected(): boolean
  /** Puts the request on a stream; only while there is room. `settle` is called exactly once. */
  dispatch(request: PushRequest, settle: (reply: Reply) => void): void
  /** Called every quarter of a second: pings, and the time limit of requests. `now`: performance.now(). */
  tick(now: number, limitMs: number): void
  /** Cuts what is in flight and all connections. */
  destroy(): Promise<void>
}

/** What a wire tells its transport. */
export type WireEvents = {
  /** Room has come or gone. */
  onChange(): void
  /** A connection has carried its first answer. */
  onProven(): void
  /** A connection could not be made, or ended before it carried an answer. */
  onUnreachable(error: Error): void
}
