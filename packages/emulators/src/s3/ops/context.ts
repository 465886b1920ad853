import type { DialectRules } from '../dialects.ts'
import type { Quirks } from '../fault-types.ts'
import type { PartListing } from '../part-listing.ts'
import type { Reply } from '../reply.ts'
import type { Exchange } from '../request.ts'
import type { Store } from '../store.ts'
import type { CorsRule, StoredObject } from '../types.ts'

/** What operations work on besides the request. */
export type Context = {
  store: Store
  region: string
  /** Address that `Location` is made of. */
  baseUrl: () => string
  dialect: DialectRules
  quirks: Readonly<Quirks>
  partListing: PartListing
  defaultCors?: CorsRule[]
  /** Milliseconds since 1970, by the store's clock. */
  now: () => number
  /** Objects made by completions, by upload id, for the quirk `repeatCompletion`. */
  completed: Map<string, StoredObject>
}

/** One operation: checks, does its work, and says what to answer. @throws S3Error */
export type Handler = (ex: Exchange, context: Context) => Promise<Reply> | Reply

/** Bucket and key of an operation on an object. */
export function target(ex: Exchange): { bucket: string; key: string } {
  if (ex.bucket === undefined || ex.key === undefined) throw new Error(`${ex.operation} without a key`)
  return { bucket: ex.bucket, key: ex.key }
}

/** Name of the bucket of an operation on one. */
export function bucketOf(ex: Exchange): string {
  if (ex.bucket === undefined) throw new Error(`${ex.operation} without a bucket`)
  return ex.bucket
}

export const OWNER = { ID: 'pigeonhole-emulator', DisplayName: 'pigeonhole' }

/** Times in documents have milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
