import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { pace } from './body.ts'
import { S3Error, s3Error } from './errors.ts'
import { Dropped } from './fault-script.ts'
import type { S3Request } from './request.ts'
import type { Store } from './store.ts'
import type { BlobRef } from './types.ts'
import { type Xml, xmlDocument } from './xml.ts'

/** Response as a value. `bytes` is streamed from blobs, from `start` to `end` (inclusive). */
export type Reply = {
  status: number
  headers: Record<string, string>
  text?: string
  bytes?: { blobs: BlobRef[]; start: number; end: number }
  /** Releases the blobs. Call it once, whether the response was sent or not. */
  release?: () => void
  /** Error code for the request log. */
  code?: string
}

/** Creates a document with status 200. */
export function xmlReply(root: string, fields: { [name: string]: Xml } | string): Reply {
  return { status: 200, headers: { 'content-type': 'application/xml' }, text: xmlDocument(root, fields) }
}

export function emptyReply(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers }
}

/** Creates an error document. Errors other than S3Error are bugs of this store, and become InternalError. */
export function errorReply(request: S3Request, thrown: unknown): Reply {
  if (!(thrown instanceof S3Error)) console.error('emulator-s3:', thrown)
  const error = thrown instanceof S3Error ? thrown : s3Error('InternalError')
  if (error.status === 304) return { status: 304, headers: error.headers, code: error.code }
  const text = xmlDocument('Error', {
    Code: error.code,
    Message: error.message,
    ...error.details,
    Resource: request.rawPath,
    RequestId: request.requestId,
    HostId: 'pigeonhole-emulator',
  })
  return {
    status: error.status,
    headers: { 'content-type': 'application/xml', ...error.headers },
    text,
    code: error.code,
  }
}

/**
 * Sends a reply. HEAD, 204 and 304 have no body. HEAD keeps the length that GET would have.
 * @throws Dropped if a fault cuts off the body
 */
export async function sendReply(
  request: S3Request,
  res: ServerResponse,
  reply: Reply,
  store: Store,
): Promise<void> {
  const bodiless = request.method === 'HEAD' || reply.status === 204 || reply.status === 304
  const headers: Record<string, string> = {
    'x-amz-request-id': request.requestId,
    'x-amz-id-2': 'pigeonhole-emulator',
    server: 'AmazonS3',
    ...reply.headers,
  }
  const text = reply.text === undefined ? undefined : Buffer.from(reply.text)
  if (text && request.method !== 'HEAD') headers['content-length'] = String(text.length)
  if (!text && !reply.bytes && !bodiless) headers['content-length'] = '0'
  if (bodiless && text) delete headers['content-type']
  // Node writes headers as latin1, which sends the bytes of UTF-8 unchanged.
  for (const name in headers) headers[name] = Buffer.from(headers[name]!).toString('latin1')
  res.writeHead(reply.status, headers)
  if (bodiless) {
    res.end()
    return
  }
  if (reply.bytes) {
    await sendBytes(request, res, reply, store)
    return
  }
  if (text) request.bytesOut += text.length
  res.end(text)
}

async function sendBytes(request: S3Request, res: ServerResponse, reply: Reply, store: Store): Promise<void> {
  if (!reply.bytes) return
  const { blobs, start, end } = reply.bytes
  const { truncateBytes, bytesPerSecond } = request.plan
  const startedAt = performance.now()
  for await (const data of slices(store.blobs.read(blobs, start, end), bytesPerSecond)) {
    if (res.destroyed) return
    const room = truncateBytes === undefined ? data.length : truncateBytes - request.bytesOut
    const piece = room < data.length ? data.subarray(0, Math.max(room, 0)) : data
    request.bytesOut += piece.length
    if (bytesPerSecond) await pace(startedAt, request.bytesOut, bytesPerSecond, () => res.destroyed)
    const flowing = res.write(piece)
    if (room < data.length) {
      // The bytes must reach the client before the connection breaks, or it sees no body at all.
      await new Promise((resolve) => res.socket?.write('', resolve) ?? resolve(undefined))
      throw new Dropped()
    }
    if (!flowing) await drained(res)
  }
  res.end()
}

/** Splits data into twenty pieces per second if the speed is limited, so that the rate is even. */
async function* slices(
  source: AsyncIterable<Buffer>,
  bytesPerSecond: number | undefined,
): AsyncGenerator<Buffer> {
  const step = bytesPerSecond ? Math.max(Math.ceil(bytesPerSecond / 20), 1) : Number.POSITIVE_INFINITY
  for await (const data of source) {
    for (let i = 0; i < data.length; i += step) yield data.subarray(i, i + step)
  }
}

/** Waits until the socket accepts more, or is closed. */
async function drained(res: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const stop = (): void => gone.abort()
  res.once('close', stop)
  try {
    if (!res.destroyed) await once(res, 'drain', { signal: gone.signal })
  } catch {
    // The socket was closed: the loop checks for it.
  } finally {
    res.off('close', stop)
  }
}
