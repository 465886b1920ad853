import { defaultCors } from './cors-config.ts'
import { type Dialect, RULES } from './dialects.ts'
import { FaultScript } from './fault-script.ts'
import { applyLifecycle } from './lifecycle.ts'
import { isBucketName } from './ops/buckets.ts'
import type { Context } from './ops/context.ts'
import { PartListing } from './part-listing.ts'
import { RequestLog } from './request-log.ts'
import { listen } from './server.ts'
import { Store } from './store.ts'
import type { Credential } from './types.ts'

export type { FaultAction, FaultRule, Held, Point, Quirks } from './fault-types.ts'
export type { ObjectView, UploadView } from './request-log.ts'
export type { LoggedRequest, Operation } from './types.ts'

export type S3Options = {
  /** Folder of the store's data, which survives restarts. Only one process can use it at a time. */
  dir: string
  /** Default: 0, a free port. */
  port?: number
  host?: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Created if missing. */
  buckets: string[]
  /** Store whose behavior to emulate. Default: AWS. */
  dialect?: Dialect
  additionalCredentials?: Credential[]
  /** Origins of the initial CORS rule of buckets. Without them, there is none. */
  corsOrigins?: string[]
  /** Suffixes of Host whose preceding label names the bucket. Default: localhost. */
  virtualHosts?: string[]
  /**
   * Flushes every object to disk before the response. Default: false, which survives `kill -9` but not a power failure.
   */
  fsync?: boolean
  /** Returns milliseconds since 1970. Default: Date.now. */
  clock?: () => number
}

export type S3Emulator = {
  /** Path-style endpoint, such as http://127.0.0.1:40123. */
  url: string
  port: number
  requestLog: RequestLog
  faults: FaultScript
  /** Rejects new connections and closes open ones. Requests that are held or being processed continue. */
  down(): Promise<void>
  /** Listens again on the same port. */
  up(): Promise<void>
  /** Applies the buckets' lifecycle rules at this time (milliseconds since 1970). */
  applyLifecycle(now: number): { expired: string[]; aborted: string[] }
  close(): Promise<void>
}

/**
 * Starts an S3-compatible store on loopback: strict about signatures, durable in `dir`, with scriptable faults.
 * @throws Error if the port is taken or a bucket name is invalid
 */
export async function startS3(options: S3Options): Promise<S3Emulator> {
  const host = options.host ?? '127.0.0.1'
  const invalidName = options.buckets.find((name) => !isBucketName(name))
  if (invalidName !== undefined) throw new Error(`Invalid bucket name: ${invalidName}`)
  const store = new Store(options)
  const dialect = RULES[options.dialect ?? 'aws']
  const faults = new FaultScript(dialect.quirks)
  const requestLog = new RequestLog(store)
  const clock = options.clock ?? Date.now
  const now = (): number => clock() + faults.clockOffsetMs
  for (const name of options.buckets) {
    if (!store.findBucket(name)) store.commit({ t: 'bucket', name, createdAt: now() })
  }
  const origins = options.corsOrigins ?? dialect.defaultOrigins
  let url = ''
  const context: Context = {
    store,
    region: options.region,
    baseUrl: () => url,
    dialect,
    quirks: faults.quirks,
    partListing: new PartListing(),
    defaultCors: origins && defaultCors(origins),
    now,
    completed: new Map(),
  }
  const own: Credential = { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey }
  const credentials = new Map(
    [own, ...(options.additionalCredentials ?? [])].map((one) => [one.accessKeyId, one]),
  )
  const where = { host, port: options.port ?? 0, virtualHosts: options.virtualHosts ?? ['localhost'] }
  const listener = await listen({ context, faults, credentials }, requestLog, where).catch(
    (error: unknown) => {
      store.close()
      throw error
    },
  )
  const port = listener.port()
  url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    url,
    port,
    requestLog,
    faults,
    down: listener.down,
    up: listener.up,
    applyLifecycle: (at) => applyLifecycle(store, at),
    close: async () => {
      faults.stop()
      await listener.close()
      store.close()
    },
  }
}
