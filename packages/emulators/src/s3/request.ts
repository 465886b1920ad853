import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeKey, parseQuery, type QueryPairs } from './encoding.ts'
import { s3Error } from './errors.ts'
import type { Plan } from './fault-types.ts'
import { operationOf } from './operations.ts'
import type { Auth, Operation } from './types.ts'

const MAX_KEY_BYTES = 1024

/** One request and what is known of it. Fields after `query` are filled in as it goes on. */
export type Exchange = {
  requestId: string
  at: number
  method: string
  rawPath: string
  bucket?: string
  key?: string
  query: QueryPairs
  /** Lower-case names, repeated headers joined with commas. */
  headers: Record<string, string | undefined>
  operation: Operation
  partNumber?: number
  uploadId?: string
  auth: Auth
  plan: Plan
  /** The document in the body, where the operation has one. */
  text: string
  bytesIn: number
  bytesOut: number
  req: IncomingMessage
  /** Asks a client that sent `Expect: 100-continue` for the body. */
  wantBody: () => void
}

/** Splits address and headers. Faults of the address are returned, to be answered like all others. */
export function openExchange(
  req: IncomingMessage,
  virtualHosts: readonly string[],
  wantBody: () => void,
): { ex: Exchange; fault?: unknown } {
  const url = req.url ?? '/'
  const mark = url.indexOf('?')
  const ex: Exchange = {
    requestId: randomBytes(8).toString('hex').toUpperCase(),
    at: Date.now(),
    method: req.method ?? 'GET',
    rawPath: mark < 0 ? url : url.slice(0, mark),
    query: [],
    headers: joinHeaders(req.rawHeaders),
    operation: 'Unknown',
    auth: { kind: 'none', payload: { kind: 'unsigned' } },
    plan: { steps: { before: [], after: [] }, reportedSizeOffset: 0 },
    text: '',
    bytesIn: 0,
    bytesOut: 0,
    req,
    wantBody,
  }
  try {
    ex.query = mark < 0 ? [] : parseQuery(url.slice(mark + 1))
    locate(ex, virtualHosts)
    ex.uploadId = param(ex, 'uploadId')
    const partNumber = param(ex, 'partNumber')
    if (partNumber !== undefined && /^\d{1,9}$/.test(partNumber)) ex.partNumber = Number(partNumber)
    ex.operation = operationOf({
      method: ex.method,
      bucket: ex.bucket,
      key: ex.key,
      queryNames: ex.query.map(([name]) => name),
      copies: ex.method === 'PUT' && amzHeader(ex, 'x-amz-copy-source') !== undefined,
    })
    if (ex.key !== undefined && Buffer.byteLength(ex.key) > MAX_KEY_BYTES) {
      throw s3Error('KeyTooLongError', undefined, {
        Size: Buffer.byteLength(ex.key),
        MaxSizeAllowed: MAX_KEY_BYTES,
      })
    }
    return { ex }
  } catch (fault) {
    return { ex, fault }
  }
}

function joinHeaders(raw: string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null)
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    // Node hands headers over as latin1; signatures and metadata are over UTF-8.
    const value = Buffer.from(raw[i + 1]!, 'latin1')
      .toString('utf8')
      .trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}

/** Bucket and key, from `bucket.localhost` or from the path. */
function locate(ex: Exchange, virtualHosts: readonly string[]): void {
  const host = (ex.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const suffix = virtualHosts.find((one) => host.endsWith(`.${one}`))
  const path = ex.rawPath.replace(/^\//, '')
  if (suffix !== undefined) {
    ex.bucket = host.slice(0, -suffix.length - 1)
    if (path !== '') ex.key = decodeKey(path)
    return
  }
  if (path === '') return
  const slash = path.indexOf('/')
  ex.bucket = decodeKey(slash < 0 ? path : path.slice(0, slash))
  const key = slash < 0 ? '' : path.slice(slash + 1)
  if (key !== '') ex.key = decodeKey(key)
}

/** A query parameter, `undefined` where it is missing. */
export function param(ex: Exchange, name: string): string | undefined {
  return ex.query.find(([one]) => one === name)?.[1]
}

/**
 * An x-amz-* value from the headers, or from the query of a presigned URL: S3 takes it from there as
 * well, which is how a presigner's checksum of an empty body comes to refuse the real one.
 */
export function amzHeader(ex: Exchange, name: string): string | undefined {
  return ex.headers[name] ?? ex.query.find(([one]) => one.toLowerCase() === name)?.[1]
}

/** Names of all x-amz-* values, lower case, wherever they stand. */
export function amzNames(ex: Exchange): string[] {
  const names = [...Object.keys(ex.headers), ...ex.query.map(([name]) => name.toLowerCase())]
  return [...new Set(names.filter((name) => name.startsWith('x-amz-')))]
}

/** A whole number from the query. @throws S3Error InvalidArgument outside 0 to 2147483647 */
export function countParam(ex: Exchange, name: string, byDefault: number): number {
  const text = param(ex, name)
  if (text === undefined || text === '') return byDefault
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
    throw s3Error('InvalidArgument', `Argument ${name} must be an integer between 0 and 2147483647`, {
      ArgumentName: name,
      ArgumentValue: text,
    })
  }
  return Number(text)
}
