import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeKey, parseQuery, type QueryPairs } from './encoding.ts'
import { s3Error } from './errors.ts'
import type { Plan } from './fault-types.ts'
import { operationOf } from './operations.ts'
import type { Auth, Operation } from './types.ts'

const MAX_KEY_BYTES = 1024

/** A request and what is known about it. Fields after `query` are set during processing. */
export type S3Request = {
  requestId: string
  at: number
  method: string
  rawPath: string
  bucket?: string
  key?: string
  query: QueryPairs
  /** Headers by lower-case name. Values of repeated headers are joined with commas. */
  headers: Record<string, string | undefined>
  operation: Operation
  partNumber?: number
  uploadId?: string
  auth: Auth
  plan: Plan
  /** Document in the body, if the operation has one. */
  text: string
  bytesIn: number
  bytesOut: number
  req: IncomingMessage
  /** Requests the body from a client that sent `Expect: 100-continue`. */
  wantBody: () => void
}

/** Parses address and headers. Returns errors of the address, so that they get a response like all others. */
export function parseRequest(
  req: IncomingMessage,
  virtualHosts: readonly string[],
  wantBody: () => void,
): { request: S3Request; fault?: unknown } {
  const url = req.url ?? '/'
  const mark = url.indexOf('?')
  const request: S3Request = {
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
    request.query = mark < 0 ? [] : parseQuery(url.slice(mark + 1))
    locate(request, virtualHosts)
    request.uploadId = param(request, 'uploadId')
    const partNumber = param(request, 'partNumber')
    if (partNumber !== undefined && /^\d{1,9}$/.test(partNumber)) request.partNumber = Number(partNumber)
    request.operation = operationOf({
      method: request.method,
      bucket: request.bucket,
      key: request.key,
      queryNames: request.query.map(([name]) => name),
      copies: request.method === 'PUT' && amzHeader(request, 'x-amz-copy-source') !== undefined,
    })
    if (request.key !== undefined && Buffer.byteLength(request.key) > MAX_KEY_BYTES) {
      throw s3Error('KeyTooLongError', undefined, {
        Size: Buffer.byteLength(request.key),
        MaxSizeAllowed: MAX_KEY_BYTES,
      })
    }
    return { request }
  } catch (fault) {
    return { request, fault }
  }
}

function joinHeaders(raw: string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null)
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    // Node decodes headers as latin1, but signatures and metadata cover UTF-8.
    const value = Buffer.from(raw[i + 1]!, 'latin1')
      .toString('utf8')
      .trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}

/** Sets bucket and key, from `bucket.localhost` or from the path. */
function locate(request: S3Request, virtualHosts: readonly string[]): void {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const suffix = virtualHosts.find((one) => host.endsWith(`.${one}`))
  const path = request.rawPath.replace(/^\//, '')
  if (suffix !== undefined) {
    request.bucket = host.slice(0, -suffix.length - 1)
    if (path !== '') request.key = decodeKey(path)
    return
  }
  if (path === '') return
  const slash = path.indexOf('/')
  request.bucket = decodeKey(slash < 0 ? path : path.slice(0, slash))
  const key = slash < 0 ? '' : path.slice(slash + 1)
  if (key !== '') request.key = decodeKey(key)
}

/** Returns a query parameter, or undefined. */
export function param(request: S3Request, name: string): string | undefined {
  return request.query.find(([one]) => one === name)?.[1]
}

/**
 * Returns an x-amz-* value from the headers, or from the query of a presigned URL. S3 also reads it from there, which
 * is why a presigner's checksum of an empty body makes S3 reject the real body.
 */
export function amzHeader(request: S3Request, name: string): string | undefined {
  return request.headers[name] ?? request.query.find(([one]) => one.toLowerCase() === name)?.[1]
}

/** Returns the names of all x-amz-* values in headers and query, in lower case. */
export function amzNames(request: S3Request): string[] {
  const names = [...Object.keys(request.headers), ...request.query.map(([name]) => name.toLowerCase())]
  return [...new Set(names.filter((name) => name.startsWith('x-amz-')))]
}

/** Returns a whole number from the query. @throws S3Error InvalidArgument outside 0 to 2147483647 */
export function countParam(request: S3Request, name: string, byDefault: number): number {
  const text = param(request, name)
  if (text === undefined || text === '') return byDefault
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
    throw s3Error('InvalidArgument', `Argument ${name} must be an integer between 0 and 2147483647`, {
      ArgumentName: name,
      ArgumentValue: text,
    })
  }
  return Number(text)
}
