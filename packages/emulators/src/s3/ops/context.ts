import type { DialectRules } from '../dialects.ts'
import type { Quirks } from '../fault-types.ts'
import type { PartListing } from '../part-listing.ts'
import type { Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import type { Store } from '../store.ts'
import type { CorsRule, StoredObject } from '../types.ts'

/** Dependencies of operations. */
export type Context = {
  store: Store
  region: string
  /** Base address of `Location`. */
  baseUrl: () => string
  dialect: DialectRules
  quirks: Readonly<Quirks>
  partListing: PartListing
  defaultCors?: CorsRule[]
  /** Milliseconds since 1970, by the store's clock. */
  now: () => number
  /** Completed objects by upload ID, for the quirk `repeatCompletion`. */
  completed: Map<string, StoredObject>
}

/** Performs an operation and returns the reply. @throws S3Error */
export type Handler = (request: S3Request, context: Context) => Promise<Reply> | Reply

/** Returns bucket and key of an object operation. */
export function target(request: S3Request): { bucket: string; key: string } {
  if (request.bucket === undefined || request.key === undefined)
    throw new Error(`${request.operation} without a key`)
  return { bucket: request.bucket, key: request.key }
}

/** Returns the bucket's name of a bucket operation. */
export function bucketOf(request: S3Request): string {
  if (request.bucket === undefined) throw new Error(`${request.operation} without a bucket`)
  return request.bucket
}

export const OWNER = { ID: 'pigeonhole-emulator', DisplayName: 'pigeonhole' }

/** Formats a time for documents, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
