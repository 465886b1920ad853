import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { NodeResponse } from 'srvx/node'

const COMMON = Symbol('common headers')
type WithCommon = ServerResponse & { [COMMON]?: string[] }

/**
 * Adds headers, names and values in turn, to the response that `sendResponse` will send. Node then gets all headers in
 * one array, which takes 3 µs less than `setHeader` for each. The response's own headers replace those of the same name.
 */
export function setCommonHeaders(outgoing: ServerResponse, headers: string[]): void {
  const response: WithCommon = outgoing
  response[COMMON] = headers
}

/** Sets headers, names and values in turn, for code that sends a response with Node's own functions. */
export function setHeaders(outgoing: ServerResponse, headers: string[]): void {
  for (let i = 0; i < headers.length; i += 2) outgoing.setHeader(headers[i]!, headers[i + 1]!)
}

/**
 * Sends a web Response: in one piece if the whole body is available (undefined), otherwise in chunks at the client's
 * speed.
 */
export function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> | undefined {
  const { status, headers, body } = partsOf(response)
  const all = withCommon(headers, outgoing)
  const isStream = body instanceof ReadableStream
  if (outgoing.req.method === 'HEAD') {
    outgoing.writeHead(status, all).end()
    return isStream ? body.cancel() : undefined
  }
  if (isStream) return sendStream(body, status, all, outgoing)
  sendWhole(body, status, all, outgoing)
  return undefined
}

async function sendStream(
  body: ReadableStream,
  status: number,
  headers: string[],
  outgoing: ServerResponse,
): Promise<void> {
  const reader = body.getReader()
  outgoing.once('close', () => void reader.cancel().catch(() => {}))
  const first = await reader.read()
  const second = reader.read()
  const isWhole = first.done || (await Promise.race([second, afterMicrotasks()]))?.done
  if (isWhole) {
    sendWhole(first.value, status, headers, outgoing)
    return
  }
  outgoing.writeHead(status, headers)
  async function* chunks() {
    yield first.value
    for (let next = await second; !next.done; next = await reader.read()) yield next.value
  }
  await pipeline(chunks, outgoing)
}

function sendWhole(
  body: string | Uint8Array | undefined,
  status: number,
  headers: string[],
  outgoing: ServerResponse,
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const isEmpty = status === 204 || status === 304
  if (!isEmpty && !has(headers, 'content-length')) headers.push('content-length', String(length))
  outgoing.writeHead(status, headers)
  // Node writes a string in one piece with the headers, in the same encoding. Headers are Latin-1, and so is ASCII text.
  if (typeof body !== 'string') outgoing.end(body)
  else if (length === body.length) outgoing.end(body, 'latin1')
  else outgoing.end(Buffer.from(body))
}

type Parts = { status: number; headers: string[]; body: string | Uint8Array | ReadableStream | undefined }

/** Returns status, headers (names and values in turn) and body, without a stream if srvx has kept the whole body. */
function partsOf(response: Response | NodeResponse): Parts {
  if ('_toNodeResponse' in response) {
    const { status, headers, body } = response._toNodeResponse()
    return { status, headers, body: (body ?? undefined) as Parts['body'] }
  }
  // One header per cookie, because cookies cannot be joined with commas.
  return { status: response.status, headers: [...response.headers].flat(), body: response.body ?? undefined }
}

function withCommon(headers: string[], outgoing: WithCommon): string[] {
  const common = outgoing[COMMON] ?? []
  const all: string[] = []
  for (let i = 0; i < common.length; i += 2)
    if (!has(headers, common[i]!)) all.push(common[i]!, common[i + 1]!)
  for (const part of headers) all.push(part)
  return all
}

/** Returns true if a list of names and values in turn has this name, in upper or lower case. */
function has(headers: string[], name: string): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]!.length === name.length && headers[i]!.toLowerCase() === name.toLowerCase()) return true
  return false
}

/** Resolves once a stream that has all its data has ended. */
const afterMicrotasks = () => new Promise<undefined>(process.nextTick)
