import type { Platform, Recipient } from '../delivery/gateway.ts'
import type { Upstream } from '../delivery/upstream.ts'
import type { Counts } from '../messages/counts.ts'
import type { NewMessage } from '../messages/message.ts'

/** Devices of one upstream that become one chunk, sent later. */
export type RetryGroup = {
  upstream: Upstream
  platform: Platform
  deviceIds: string[]
  attempt: number
  delayMs: number
  /** Delay that the gateway asked for; if it recovers, the chunk is sent then. Default: `delayMs`. */
  notBeforeMs?: number
}

/** Part of a broadcast, claimed by this process. */
export type Chunk = {
  id: string
  message: NewMessage
  /** Destination of this chunk. Its devices of other upstreams get chunks of their own. */
  upstream: Upstream
  /** The database's time when it was claimed. */
  claimedAt: Date
  /** The message was canceled after another worker claimed the chunk, and that worker has died. */
  cancelled: boolean
  attempt: number
  /** Devices of a retry; otherwise the chunk is a range of device IDs. */
  retry?: { platform: Platform; deviceIds: string[] }
  /** App of a range. */
  app: string
  /** Platforms of a range. */
  platforms: readonly Platform[]
  /** Exclusive start of the range; null: from the first device. */
  afterId: string | null
  /** Inclusive end of the range. */
  lastId: string | null
}

export type ChunkRepo = {
  /**
   * Claims due chunks, up to `free` for each upstream, and up to `unknown` of each other upstream whose oldest chunk has
   * been due for 10 s: no replica knows its app. `except`: chunks that this process is working on.
   */
  claim(
    leaseId: string,
    free: { known: ReadonlyMap<Upstream, number>; unknown: number },
    leaseMs: number,
    except: string[],
  ): Promise<Chunk[]>
  /**
   * Makes up to `limit` (null: all) chunks of each upstream that wait for a retry due, now or as soon as the gateway
   * allows. Takes those that the gateway allows first.
   */
  makeDue(upstreams: Upstream[], limit: number | null): Promise<void>
  /** Extends the leases that are still held. Returns which of their messages were canceled. */
  extend(leaseId: string, chunkIds: string[], leaseMs: number): Promise<string[]>
  /** Releases chunks that were claimed but not recorded. */
  release(leaseId: string): Promise<void>
  /** Returns the chunk's current devices after opt-outs. */
  read(chunk: Chunk): Promise<Recipient[]>
  /**
   * Adds the results to the message and deletes the chunk, in one transaction. Retries of a canceled message count as
   * failed. Returns false if another worker holds the chunk now.
   */
  record(chunk: Chunk, leaseId: string, counts: Counts, retries: RetryGroup[]): Promise<boolean>
}
