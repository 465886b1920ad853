import { timingSafeEqual } from 'node:crypto'
import type { QueryPairs } from './encoding.ts'
import { s3Error } from './errors.ts'
import { canonicalRequest, hmac, type Scope, signingKey, stringToSign } from './sigv4.ts'
import type { Credential, PayloadMode } from './types.ts'

/** Parts of a request that authentication reads. */
export type SignedRequest = {
  method: string
  rawPath: string
  query: QueryPairs
  /** Headers by lower-case name. Values of repeated headers are joined with commas. */
  headers: Record<string, string | undefined>
}

export type AuthRules = {
  region: string
  credentials: Map<string, Credential>
  /** Milliseconds since 1970. */
  now: number
  /** True for stores that accept unsigned x-amz-* headers. AWS does not. */
  ignoreUnsignedAmzHeaders: boolean
  /** True for Ceph, which rejects an unsigned Content-Type of a presigned request. AWS does not. */
  rejectsUnsignedContentType: boolean
}

/** Parses `x-amz-content-sha256`, which describes the body. @throws S3Error InvalidArgument if unknown */
export function payloadMode(value: string): PayloadMode {
  if (value === 'UNSIGNED-PAYLOAD') return { kind: 'unsigned' }
  if (/^[0-9a-f]{64}$/.test(value)) return { kind: 'hash', sha256: value }
  if (value === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return { kind: 'chunked', signed: false, trailer: true }
  if (value === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD') return { kind: 'chunked', signed: true, trailer: false }
  if (value === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER')
    return { kind: 'chunked', signed: true, trailer: true }
  throw s3Error(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
    { ArgumentName: 'x-amz-content-sha256', ArgumentValue: value },
  )
}

/** Verifies the signature. @throws S3Error SignatureDoesNotMatch with what the server signed, like AWS */
export function verify(input: {
  request: SignedRequest
  credential: Credential
  scope: Scope
  timestamp: string
  signedHeaders: string[]
  signature: string
  payloadHash: string
}): void {
  const { request, credential, scope, timestamp, signedHeaders, signature, payloadHash } = input
  const canonical = canonicalRequest({ ...request, signedHeaders, payloadHash })
  const text = stringToSign(timestamp, scope, canonical)
  const expected = Buffer.from(hmac(signingKey(credential.secretAccessKey, scope), text).toString('hex'))
  const given = Buffer.from(signature)
  // A signed empty header that was not sent would otherwise look the same as one sent empty.
  const complete = signedHeaders.every((name) => request.headers[name] !== undefined)
  if (complete && given.length === expected.length && timingSafeEqual(given, expected)) return
  throw s3Error('SignatureDoesNotMatch', undefined, {
    AWSAccessKeyId: credential.accessKeyId,
    StringToSign: text,
    SignatureProvided: signature,
    StringToSignBytes: spacedHex(text),
    CanonicalRequest: canonical,
    CanonicalRequestBytes: spacedHex(canonical),
  })
}

function spacedHex(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '$& ').trim()
}
