import { setTimeout as sleep } from 'node:timers/promises'
import { decodeAwsChunked } from './chunked.ts'
import { type ChecksumName, checksumOfHeader, Digests } from './digests.ts'
import { type S3Error, s3Error } from './errors.ts'
import { Dropped } from './fault-script.ts'
import { amzHeader, amzNames, type Exchange } from './request.ts'
import { sha256Hex } from './sigv4.ts'
import type { Store } from './store.ts'
import type { BlobRef } from './types.ts'

/** Largest body of a single PUT or part, 5 GiB. https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
export const MAX_PUT_BYTES = 5 * 1024 ** 3
/** 10,000 parts with checksums fit; so does S3's limit of 1 MB for other documents. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

export type Received = { blob: BlobRef; md5: string; checksums: Record<string, string> }

/** Length of the payload without framing. @throws S3Error MissingContentLength */
function payloadLength(ex: Exchange): number {
  const chunked = ex.auth.payload.kind === 'chunked'
  const text = chunked ? ex.headers['x-amz-decoded-content-length'] : ex.headers['content-length']
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw s3Error('MissingContentLength')
  return Number(text)
}

/** Raw body: counted, slowed down or cut off as the fault script says. @throws S3Error IncompleteBody */
async function* rawBody(ex: Exchange): AsyncGenerator<Buffer> {
  const { bytesPerSecond, dropAfterBytes } = ex.plan
  const start = performance.now()
  ex.wantBody()
  try {
    // Not destroyed when reading stops early: the error must still reach the client on this connection.
    const pieces: AsyncIterable<Buffer> = ex.req.iterator({ destroyOnReturn: false })
    for await (const data of pieces) {
      ex.bytesIn += data.length
      if (dropAfterBytes !== undefined && ex.bytesIn >= dropAfterBytes) throw new Dropped()
      if (bytesPerSecond) await pace(start, ex.bytesIn, bytesPerSecond, () => ex.req.destroyed)
      yield data
    }
  } catch (error) {
    if (error instanceof Dropped) throw error
    throw s3Error('IncompleteBody')
  }
}

/** Waits until so many bytes are due at this rate, or the connection is gone. */
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

function payload(ex: Exchange, trailers: Record<string, string>): AsyncIterable<Buffer> {
  const mode = ex.auth.payload
  if (mode.kind !== 'chunked') return rawBody(ex)
  return decodeAwsChunked(rawBody(ex), { ...mode, seed: ex.auth.seed }, trailers)
}

/** Checksums the request gives, in headers or announced as trailers. */
function wantedChecksums(ex: Exchange): { given: Map<ChecksumName, string>; trailing: ChecksumName[] } {
  const given = new Map<ChecksumName, string>()
  for (const name of amzNames(ex)) {
    if (!name.startsWith('x-amz-checksum-') || /-(algorithm|type|mode)$/.test(name)) continue
    given.set(checksumOfHeader(name), amzHeader(ex, name) ?? '')
  }
  const trailer =
    ex.auth.payload.kind === 'chunked' && ex.auth.payload.trailer ? ex.headers['x-amz-trailer'] : ''
  const trailing = (trailer ?? '').split(',').map((name) => name.trim())
  return { given, trailing: trailing.filter((name) => name !== '').map(checksumOfHeader) }
}

/**
 * Streams the body into a blob that the caller must release, checking everything the request claims
 * about it. Nothing is stored where a check fails or the body is cut off.
 * @throws S3Error MissingContentLength, EntityTooLarge, InvalidDigest, BadDigest, IncompleteBody,
 *   XAmzContentSHA256Mismatch, SignatureDoesNotMatch (chunks)
 */
export async function receiveBlob(ex: Exchange, store: Store): Promise<Received> {
  const length = payloadLength(ex)
  if (length > MAX_PUT_BYTES) {
    throw s3Error('EntityTooLarge', undefined, { ProposedSize: length, MaxSizeAllowed: MAX_PUT_BYTES })
  }
  checkMd5Form(ex)
  const { given, trailing } = wantedChecksums(ex)
  const mode = ex.auth.payload
  const digests = new Digests([...given.keys(), ...trailing], mode.kind === 'hash')
  const trailers: Record<string, string> = {}
  const blob = await store.blobs.write(payload(ex, trailers), (data) => digests.update(data))
  try {
    if (blob.size !== length) throw s3Error('IncompleteBody')
    const { md5, sha256, checksums } = digests.finish()
    checkMd5(ex, md5)
    if (mode.kind === 'hash' && mode.sha256 !== sha256) throw payloadMismatch(mode.sha256, sha256 ?? '')
    for (const name of trailing) given.set(name, trailers[`x-amz-checksum-${name}`] ?? '')
    for (const [name, value] of given) checkChecksum(name, value, checksums[name])
    return { blob, md5, checksums }
  } catch (error) {
    store.blobs.release(blob)
    throw error
  }
}

/** The whole body of a small request as text, checked like a blob. @throws S3Error MalformedXML when too long */
export async function receiveText(ex: Exchange): Promise<string> {
  checkMd5Form(ex)
  const { given, trailing } = wantedChecksums(ex)
  const digests = new Digests([...given.keys(), ...trailing])
  const trailers: Record<string, string> = {}
  const pieces: Buffer[] = []
  let size = 0
  for await (const data of payload(ex, trailers)) {
    size += data.length
    if (size > MAX_DOCUMENT_BYTES) throw s3Error('MalformedXML')
    digests.update(data)
    pieces.push(data)
  }
  const body = Buffer.concat(pieces)
  const { md5, checksums } = digests.finish()
  checkMd5(ex, md5)
  const mode = ex.auth.payload
  if (mode.kind === 'hash' && mode.sha256 !== sha256Hex(body))
    throw payloadMismatch(mode.sha256, sha256Hex(body))
  for (const name of trailing) given.set(name, trailers[`x-amz-checksum-${name}`] ?? '')
  for (const [name, value] of given) checkChecksum(name, value, checksums[name])
  return body.toString('utf8')
}

function checkMd5Form(ex: Exchange): void {
  const given = ex.headers['content-md5']
  if (given !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(given)) throw s3Error('InvalidDigest')
}

function checkMd5(ex: Exchange, md5: string): void {
  const given = ex.headers['content-md5']
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
