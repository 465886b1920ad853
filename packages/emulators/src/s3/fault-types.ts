import type { Operation } from './types.ts'

/** Before the work: authenticated, large bodies unread. After: the work is done and durable, nothing sent. */
export type Point = 'before' | 'after'

/** What a rule does. All sizes are bytes, all times milliseconds unless the name says otherwise. */
export type FaultAction =
  /** Waits. */
  | { kind: 'latency'; ms: number; point?: Point }
  /** Body bytes per second, up and down. */
  | { kind: 'throttle'; bytesPerSecond: number }
  /** An error. With `point: 'after'` the work was done all the same; `in200` puts it into a 200, as S3
   *  does for a completion or copy that fails after its headers were sent. */
  | {
      kind: 'fail'
      code: string
      status?: number
      message?: string
      retryAfterSeconds?: number
      point?: Point
      in200?: boolean
    }
  /** Destroys the connection. `afterBytes`: once so much of the request's body was read; nothing is stored. */
  | { kind: 'drop'; point?: Point; afterBytes?: number }
  /** Sends only the first bytes of a GET's body under the full Content-Length, then destroys the connection. */
  | { kind: 'truncate'; bytes: number }
  /** HEAD, the Content-Range of a GET, ListParts and listings report sizes that are off by this much. */
  | { kind: 'misreportSize'; addBytes: number }
  /** Stops at the point until `release`. */
  | { kind: 'hold'; name: string; point?: Point }

/** One fault. All conditions must hold; the counts are of requests that match the others. */
export type FaultRule = {
  id?: string
  operation?: Operation | Operation[]
  bucket?: string
  keyPrefix?: string
  /** Source of a regular expression. */
  keyPattern?: string
  partNumber?: number
  /** The nth match only, from 1. */
  nth?: number
  /** The first n matches only. */
  first?: number
  /** 0 to 1, drawn from a generator seeded by `seed` (default 1), so that a run can be repeated. */
  probability?: number
  seed?: number
  action: FaultAction
}

/** Habits of other stores; at the start those of the dialect. */
export type Quirks = {
  /** Copies although `x-amz-copy-source-if-match` does not hold, as Ceph does. */
  ignoreCopySourceIfMatch: boolean
  /** Accepts x-amz-* headers outside the signature. */
  ignoreUnsignedAmzHeaders: boolean
  /** Leaves ETag out of Access-Control-Expose-Headers, the usual fault in a bucket's CORS. */
  hideEtagFromCors: boolean
  /** Answers a repeated completion like the first one instead of NoSuchUpload. */
  repeatCompletion: boolean
  /** For so long ListParts does not show a new part, or shows it as it was before. */
  partListingLagMs: number
  /** So many entries a page of a listing has at most: 1,000, as everywhere. Fewer, and few objects fill pages. */
  listingPage: number
}

export type Held = {
  name: string
  point: Point
  requestId: string
  operation: Operation
  key?: string
  /** The store has noticed that the connection is closed. */
  clientGone: boolean
}

/** What the rules mean for one request. */
export type Plan = {
  steps: Record<Point, FaultAction[]>
  bytesPerSecond?: number
  truncateBytes?: number
  dropAfterBytes?: number
  /** Added to the sizes that are reported. */
  reportedSizeOffset: number
}
