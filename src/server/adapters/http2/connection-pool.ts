import type { FlowKey } from './fair-queue.ts'
import type { Reply } from './reply.ts'

/** One POST to a gateway. `headers`: names and values in turn, the form that Node sends with the least work. */
export type PushRequest = { path: string; headers: readonly string[]; body: Buffer | string }

/**
 * A push on its way through a transport. One object instead of closures and async frames: with these, a push in the
 * queue took three times the memory, and garbage collection a quarter of the time for 100,000 pushes.
 */
export type Push = {
  readonly flow: FlowKey
  /** Number of times that the gateway has refused it, kept by the transport; starts at 0. */
  refusals: number
  /** Called when its turn comes. Nothing is sent if it returns undefined. */
  makeRequest(): PushRequest | undefined
  /** Called exactly once for each `Transport.send`, possibly before that returns. */
  settle(reply: Reply): void
}

export function rawHeaders(headers: Record<string, string>): string[] {
  return Object.entries(headers).flat()
}

/** Connections to one gateway, over HTTP/2 or HTTP/1.1. */
export type ConnectionPool = {
  /** Returns whether a request can be sent now. */
  hasCapacity(): boolean
  /** Opens a connection, if that adds capacity and is allowed. */
  grow(): void
  isConnected(): boolean
  /** Sends a push's request; requires capacity. Reports the reply by `onReply`, exactly once. */
  send(request: PushRequest, push: Push): void
  /** Enforces timeouts and checks connections. Called every 250 ms; `now`: performance.now(). */
  tick(now: number, timeoutMs: number): void
  /** Closes all connections and fails the requests in flight. */
  destroy(): Promise<void>
}

/** Events that a pool reports to its transport. */
export type PoolEvents = {
  onReply(push: Push, reply: Reply): void
  onCapacityChange(): void
  /** A connection has carried its first response. */
  onVerified(): void
  /** A connection could not be opened, or closed before it carried a response. */
  onConnectFailure(error: Error): void
}
