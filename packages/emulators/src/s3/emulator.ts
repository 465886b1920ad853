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
  /** Where everything is kept, across restarts. One process at a time. */
  dir: string
  /** 0, the default, takes a free one. */
  port?: number
  host?: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Made where they are missing. */
  buckets: string[]
  /** Whose words and habits it has: AWS's by default. */
  dialect?: Dialect
  additionalCredentials?: Credential[]
  /** Origins of the CORS rule that buckets have until one is put; without them there is none. */
  corsOrigins?: string[]
  /** Suffixes of Host below which the first label is the bucket. Default: localhost. */
  virtualHosts?: string[]
  /** Flush every object to the disk before the answer. Default false: safe from `kill -9`, not from a power cut. */
  fsync?: boolean
  /** Milliseconds since 1970. Default: Date.now. */
  clock?: () => number
}

export type S3Emulator = {
  /** Path-style endpoint, e.g. http://127.0.0.1:40123 */
  url: string
  port: number
  requestLog: RequestLog
  faults: FaultScript
  /** Refuses connections and breaks those there are; what is held or at work goes on. */
  down(): Promise<void>
  /** Listens again on the same port. */
  up(): Promise<void>
  /** Does what the buckets' lifecycle rules ask for at that time (milliseconds since 1970). */
  applyLifecycle(now: number): { expired: string[]; aborted: string[] }
  close(): Promise<void>
}

/**
 * Starts an S3-compatible store on loopback: strict about signatures, durable in `dir`, scriptable.
 * @throws Error when the port is taken or a bucket's name is not valid
 */
export async function startS3(options: S3Options): Promise<S3Emulator> {
  const host = options.host ?? '127.0.0.1'
  const strange = options.buckets.find((name) => !isBucketName(name))
  if (strange !== undefined) throw new Error(`Not a valid bucket name: ${strange}`)
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
