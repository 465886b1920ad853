import type { OutgoingHttpHeaders } from 'node:http2'
import type { Reply } from './reply.ts'

/** One POST to a gateway. */
export type PushRequest = { path: string; headers: OutgoingHttpHeaders; body: Buffer | string }

/** Connections to one gateway, over HTTP/2 or HTTP/1.1. */
export type ConnectionPool = {
  /** Returns whether a request can be sent now. */
  hasCapacity(): boolean
  /** Opens a connection, if that adds capacity and is allowed. */
  grow(): void
  isConnected(): boolean
  /** Sends a request; requires capacity. Calls `settle` exactly once. */
  send(request: PushRequest, settle: (reply: Reply) => void): void
  /** Enforces timeouts and checks connections. Called every 250 ms; `now`: performance.now(). */
  tick(now: number, timeoutMs: number): void
  /** Closes all connections and fails the requests in flight. */
  destroy(): Promise<void>
}

/** Events that a pool reports to its transport. */
export type PoolEvents = {
  onCapacityChange(): void
  /** A connection has carried its first response. */
  onVerified(): void
  /** A connection could not be opened, or closed before it carried a response. */
  onConnectFailure(error: Error): void
}
