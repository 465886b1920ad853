import { createHash, createHmac } from 'node:crypto'
import { type QueryPairs, uriDecode, uriEncode } from './encoding.ts'

/**
 * Signature Version 4, written only from the documentation, and without code of any signer:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export const ALGORITHM = 'AWS4-HMAC-SHA256'
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export type Scope = { accessKeyId: string; date: string; region: string; service: string; terminator: string }

export function sha256Hex(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

export function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** Parses `20260131T235959Z` to milliseconds; undefined if malformed. */
export function parseTimestamp(text: string): number | undefined {
  const m = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (!m) return undefined
  const ms = Date.parse(`${m[1]}-${m[2]}-${m[3]}T${m[4]}:${m[5]}:${m[6]}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Parses `AKID/20260131/us-east-1/s3/aws4_request`. The access key can contain slashes. */
export function parseCredential(text: string): Scope | undefined {
  const parts = text.split('/')
  const [date, region, service, terminator] = parts.slice(-4)
  const accessKeyId = parts.slice(0, -4).join('/')
  if (!accessKeyId || !date || !region || !service || !terminator) return undefined
  return { accessKeyId, date, region, service, terminator }
}

export function scopeText(scope: Scope): string {
  return `${scope.date}/${scope.region}/${scope.service}/${scope.terminator}`
}

// Signing keys by secret, day and region: deriving one costs four HMACs per request.
const keys = new Map<string, Buffer>()

/** Returns the signing key of a scope. */
export function signingKey(secret: string, scope: Scope): Buffer {
  const name = `${secret}\n${scopeText(scope)}`
  const known = keys.get(name)
  if (known) return known
  const key = hmac(
    hmac(hmac(hmac(`AWS4${secret}`, scope.date), scope.region), scope.service),
    scope.terminator,
  )
  if (keys.size > 100) keys.clear()
  keys.set(name, key)
  return key
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the query of the canonical request: encoded, then sorted by name and value, without the signature. */
export function canonicalQuery(query: QueryPairs): string {
  return query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]): [string, string] => [uriEncode(name), uriEncode(value)])
    .sort((a, b) => byCodePoint(a[0], b[0]) || byCodePoint(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Returns the path of the canonical request. Unlike other AWS services, S3 encodes it once and keeps `//` and `..`. */
export function canonicalPath(rawPath: string): string {
  return uriEncode(uriDecode(rawPath), true)
}

/** Returns the canonical request. `headers` has lower-case names and repeated headers joined with commas. */
export function canonicalRequest(input: {
  method: string
  rawPath: string
  query: QueryPairs
  headers: Record<string, string | undefined>
  signedHeaders: string[]
  payloadHash: string
}): string {
  const names = [...input.signedHeaders].sort(byCodePoint)
  const lines = names.map((name) => `${name}:${(input.headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [
    input.method,
    canonicalPath(input.rawPath),
    canonicalQuery(input.query),
    lines.join(''),
    names.join(';'),
    input.payloadHash,
  ].join('\n')
}

export function stringToSign(timestamp: string, scope: Scope, canonical: string): string {
  return [ALGORITHM, timestamp, scopeText(scope), sha256Hex(canonical)].join('\n')
}
