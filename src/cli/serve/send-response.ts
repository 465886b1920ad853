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

/** Sends a web Response: in one piece if the whole body is available, otherwise in chunks at the client's speed. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { status, headers, body } = partsOf(response)
  const all = withCommon(headers, outgoing)
  if (outgoing.req.method === 'HEAD') {
    outgoing.writeHead(status, all).end()
    if (body instanceof ReadableStream) await body.cancel()
    return
  }
  if (!(body instanceof ReadableStream)) {
    sendWhole(body)
    return
  }
  const reader = body.getReader()
  outgoing.once('close', () => void reader.cancel().catch(() => {}))
  const first = await reader.read()
  const second = reader.read()
  const isWhole = first.done || (await Promise.race([second, afterMicrotasks()]))?.done
  if (isWhole) {
    sendWhole(first.value)
    return
  }
  outgoing.writeHead(status, all)
  async function* chunks() {
    yield first.value
    for (let next = await second; !next.done; next = await reader.read()) yield next.value
  }
  await pipeline(chunks, outgoing)

  function sendWhole(whole: string | Uint8Array | undefined): void {
    // Node would encode the headers like a string body, but they are Latin-1.
    const data = typeof whole === 'string' ? Buffer.from(whole) : whole
    const length = data?.length ?? 0
    const isEmpty = status === 204 || status === 304
    if (!isEmpty && !has(all, 'content-length')) all.push('content-length', String(length))
    outgoing.writeHead(status, all).end(data)
  }
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
    if (!has(headers, common[i]!.toLowerCase())) all.push(common[i]!, common[i + 1]!)
  for (const part of headers) all.push(part)
  return all
}

/** Returns true if a list of names and values in turn has this name, in lowercase. */
function has(headers: string[], name: string): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]!.length === name.length && headers[i]!.toLowerCase() === name) return true
  return false
}

/** Resolves once a stream that has all its data has ended. */
const afterMicrotasks = () => new Promise<undefined>(process.nextTick)
