import type { Operation } from './types.ts'

/**
 * `before`: authenticated, but large bodies are unread. `after`: the operation is complete and durable, but nothing is
 * sent.
 */
export type Point = 'before' | 'after'

/** Effect of a rule. All sizes are in bytes, all times in milliseconds unless the name says otherwise. */
export type FaultAction =
  /** Waits. */
  | { kind: 'latency'; ms: number; point?: Point }
  /** Limits body bytes per second in both directions. */
  | { kind: 'throttle'; bytesPerSecond: number }
  /**
   * Responds with an error. With `point: 'after'`, the operation is complete nevertheless. `in200` sends the error with
   * status 200, as S3 does if a completion or copy fails after its headers were sent.
   */
  | {
      kind: 'fail'
      code: string
      status?: number
      message?: string
      retryAfterSeconds?: number
      point?: Point
      in200?: boolean
    }
  /** Closes the connection, with `afterBytes` after reading this much of the request's body. Nothing is stored. */
  | { kind: 'drop'; point?: Point; afterBytes?: number }
  /** Sends only the first bytes of a GET's body with the full Content-Length, then closes the connection. */
  | { kind: 'truncate'; bytes: number }
  /** Adds this to the sizes in HEAD, the Content-Range of a GET, ListParts and listings. */
  | { kind: 'misreportSize'; addBytes: number }
  /** Stops at the point until `release`. */
  | { kind: 'hold'; name: string; point?: Point }

/** One fault. All conditions must match. `nth` and `first` count the requests that match the others. */
export type FaultRule = {
  id?: string
  operation?: Operation | Operation[]
  bucket?: string
  keyPrefix?: string
  /** Source of a regular expression. */
  keyPattern?: string
  partNumber?: number
  /** Applies only to the nth match, from 1. */
  nth?: number
  /** Applies only to the first n matches. */
  first?: number
  /** 0 to 1, drawn from a generator with `seed` (default: 1), so that runs can be repeated. */
  probability?: number
  seed?: number
  action: FaultAction
}

/** Behavior of other stores. Initially that of the dialect. */
export type Quirks = {
  /** Copies even if `x-amz-copy-source-if-match` does not match, like Ceph. */
  ignoreCopySourceIfMatch: boolean
  /** Accepts unsigned x-amz-* headers. */
  ignoreUnsignedAmzHeaders: boolean
  /** Omits ETag from Access-Control-Expose-Headers, the most common mistake in a bucket's CORS rules. */
  hideEtagFromCors: boolean
  /** Responds to a repeated completion as to the first one, not with NoSuchUpload. */
  repeatCompletion: boolean
  /** Time for which ListParts omits a new part, or shows its previous version. */
  partListingLagMs: number
  /**
   * Maximum number of entries per page of a listing. Default: 1,000, as in all stores. A smaller number tests paging
   * with few objects.
   */
  listingPage: number
}

export type Held = {
  name: string
  point: Point
  requestId: string
  operation: Operation
  key?: string
  /** True if the store has noticed that the client closed the connection. */
  clientGone: boolean
}

/** Effects of the rules on one request. */
export type Plan = {
  steps: Record<Point, FaultAction[]>
  bytesPerSecond?: number
  truncateBytes?: number
  dropAfterBytes?: number
  /** Added to reported sizes. */
  reportedSizeOffset: number
}
