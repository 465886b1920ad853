import type { OutgoingHttpHeaders } from 'node:http2'
import type { Reply } from './reply.ts'

/** One POST to a gateway. */
export type PushRequest = { path: string; headers: OutgoingHttpHeaders; body: Buffer | string }

/** Connections to one gateway, over HTTP/2 or HTTP/1.1. */
export type ConnectionPool = {
  /** Whether a request could be sent now. */
  hasCapacity(): boolean
  /** There was no capacity: opens a connection if that helps and is allowed. */
  grow(): void
  /** Whether any connection is open. */
  isConnected(): boolean
  /** Sends the request; only while there is capacity. `settle` is called exactly once. */
  send(request: PushRequest, settle: (reply: Reply) => void): void
  /** Called every 250 ms: health checks and the requests' timeout. `now`: performance.now(). */
  tick(now: number, timeoutMs: number): void
  /** Closes all connections and fails what is in flight. */
  destroy(): Promise<void>
}

/** What a pool tells its transport. */
export type PoolEvents = {
  /** There may be more capacity, or less. */
  onCapacityChange(): void
  /** A connection has carried its first response. */
  onVerified(): void
  /** A connection could not be made, or closed before it carried a response. */
  onConnectFailure(error: Error): void
}
