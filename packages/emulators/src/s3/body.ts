import { setTimeout as sleep } from 'node:timers/promises'
import { decodeAwsChunked } from './chunked.ts'
import { type ChecksumName, checksumOfHeader, Digests } from './digests.ts'
import { type S3Error, s3Error } from './errors.ts'
import { Dropped } from './fault-script.ts'
import { amzHeader, amzNames, type S3Request } from './request.ts'
import { sha256Hex } from './sigv4.ts'
import type { Store } from './store.ts'
import type { BlobRef } from './types.ts'

/**
 * Maximum body size of a single PUT or part, 5 GiB. https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
export const MAX_PUT_BYTES = 5 * 1024 ** 3
/** Enough for 10,000 parts with checksums, and above S3's limit of 1 MB for other documents. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

export type Received = { blob: BlobRef; md5: string; checksums: Record<string, string> }

/** Returns the length of the payload without framing. @throws S3Error MissingContentLength */
function payloadLength(request: S3Request): number {
  const chunked = request.auth.payload.kind === 'chunked'
  const text = chunked ? request.headers['x-amz-decoded-content-length'] : request.headers['content-length']
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw s3Error('MissingContentLength')
  return Number(text)
}

/** Yields the raw body: counted, and slowed down or cut off by the fault script. @throws S3Error IncompleteBody */
async function* rawBody(request: S3Request): AsyncGenerator<Buffer> {
  const { bytesPerSecond, dropAfterBytes } = request.plan
  const start = performance.now()
  request.wantBody()
  try {
    // Do not destroy the stream when reading stops early: the error must still reach the client on this connection.
    const pieces: AsyncIterable<Buffer> = request.req.iterator({ destroyOnReturn: false })
    for await (const data of pieces) {
      request.bytesIn += data.length
      if (dropAfterBytes !== undefined && request.bytesIn >= dropAfterBytes) throw new Dropped()
      if (bytesPerSecond) await pace(start, request.bytesIn, bytesPerSecond, () => request.req.destroyed)
      yield data
    }
  } catch (error) {
    if (error instanceof Dropped) throw error
    throw s3Error('IncompleteBody')
  }
}

/** Waits until these bytes are due at this rate, or the connection is closed. */
export async function pace(
  start: number,
  bytes: number,
  bytesPerSecond: number,
  gone: () => boolean,
): Promise<void> {
  const due = start + (bytes / bytesPerSecond) * 1000
  for (let left = due - performance.now(); left > 1 && !gone(); left = due - performance.now()) {
    await sleep(Math.min(left, 100))
  }
}

function payload(request: S3Request, trailers: Record<string, string>): AsyncIterable<Buffer> {
  const mode = request.auth.payload
  if (mode.kind !== 'chunked') return rawBody(request)
  return decodeAwsChunked(rawBody(request), { ...mode, seed: request.auth.seed }, trailers)
}

/** Returns the checksums of the request, in headers or announced as trailers. */
function wantedChecksums(request: S3Request): { given: Map<ChecksumName, string>; trailing: ChecksumName[] } {
  const given = new Map<ChecksumName, string>()
  for (const name of amzNames(request)) {
    if (!name.startsWith('x-amz-checksum-') || /-(algorithm|type|mode)$/.test(name)) continue
    given.set(checksumOfHeader(name), amzHeader(request, name) ?? '')
  }
  const trailer =
    request.auth.payload.kind === 'chunked' && request.auth.payload.trailer
      ? request.headers['x-amz-trailer']
      : ''
  const trailing = (trailer ?? '').split(',').map((name) => name.trim())
  return { given, trailing: trailing.filter((name) => name !== '').map(checksumOfHeader) }
}

/**
 * Streams the body into a blob that the caller must release. Checks everything that the request claims about it. Stores
 * nothing if a check fails or the body is cut off.
 * @throws S3Error MissingContentLength, EntityTooLarge, InvalidDigest, BadDigest, IncompleteBody,
 *   XAmzContentSHA256Mismatch, SignatureDoesNotMatch (chunks)
 */
export async function receiveBlob(request: S3Request, store: Store): Promise<Received> {
  const length = payloadLength(request)
  if (length > MAX_PUT_BYTES) {
    throw s3Error('EntityTooLarge', undefined, { ProposedSize: length, MaxSizeAllowed: MAX_PUT_BYTES })
  }
  checkMd5Form(request)
  const { given, trailing } = wantedChecksums(request)
  const mode = request.auth.payload
  const digests = new Digests([...given.keys(), ...trailing], mode.kind === 'hash')
  const trailers: Record<string, string> = {}
  const blob = await store.blobs.write(payload(request, trailers), (data) => digests.update(data))
  try {
    if (blob.size !== length) throw s3Error('IncompleteBody')
    const { md5, sha256, checksums } = digests.finish()
    checkMd5(request, md5)
    if (mode.kind === 'hash' && mode.sha256 !== sha256) throw payloadMismatch(mode.sha256, sha256 ?? '')
    for (const name of trailing) given.set(name, trailers[`x-amz-checksum-${name}`] ?? '')
    for (const [name, value] of given) checkChecksum(name, value, checksums[name])
    return { blob, md5, checksums }
  } catch (error) {
    store.blobs.release(blob)
    throw error
  }
}

/** Returns the whole body of a small request as text, checked like a blob. @throws S3Error MalformedXML if too long */
export async function receiveText(request: S3Request): Promise<string> {
  checkMd5Form(request)
  const { given, trailing } = wantedChecksums(request)
  const digests = new Digests([...given.keys(), ...trailing])
  const trailers: Record<string, string> = {}
  const pieces: Buffer[] = []
  let size = 0
  for await (const data of payload(request, trailers)) {
    size += data.length
    if (size > MAX_DOCUMENT_BYTES) throw s3Error('MalformedXML')
    digests.update(data)
    pieces.push(data)
  }
  const body = Buffer.concat(pieces)
  const { md5, checksums } = digests.finish()
  checkMd5(request, md5)
  const mode = request.auth.payload
  if (mode.kind === 'hash' && mode.sha256 !== sha256Hex(body))
    throw payloadMismatch(mode.sha256, sha256Hex(body))
  for (const name of trailing) given.set(name, trailers[`x-amz-checksum-${name}`] ?? '')
  for (const [name, value] of given) checkChecksum(name, value, checksums[name])
  return body.toString('utf8')
}

function checkMd5Form(request: S3Request): void {
  const given = request.headers['content-md5']
  if (given !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(given)) throw s3Error('InvalidDigest')
}

function checkMd5(request: S3Request, md5: string): void {
  const given = request.headers['content-md5']
  if (given === undefined) return
  const expected = Buffer.from(given, 'base64').toString('hex')
  if (expected !== md5) {
    throw s3Error('BadDigest', undefined, { ExpectedDigest: given, CalculatedDigest: md5 })
  }
}

function checkChecksum(name: ChecksumName, given: string, computed: string | undefined): void {
  if (given === computed) return
  throw s3Error('BadDigest', `The ${name.toUpperCase()} you specified did not match the calculated checksum.`)
}

function payloadMismatch(client: string, computed: string): S3Error {
  return s3Error('XAmzContentSHA256Mismatch', undefined, {
    ClientComputedContentSHA256: client,
    S3ComputedContentSHA256: computed,
  })
}
