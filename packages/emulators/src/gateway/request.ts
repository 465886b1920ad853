import type { Connection } from './connection.ts'

/** A gateway's response to one request. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text of the body; undefined for a response without body. */
  readonly body?: string
}

/** One complete request, over HTTP/2 or HTTP/1.1, and the ways to end it. */
export type GatewayRequest = {
  readonly connection: Connection
  readonly method: string
  /** Path with the query, as received. */
  readonly path: string
  /** Headers by lower-case name. Values of repeated names are joined by `, ` (see `repeatedHeaders`). */
  readonly headers: Readonly<Record<string, string>>
  readonly repeatedHeaders: readonly string[]
  /** At most the first `MAX_BODY_BYTES`. */
  readonly body: Buffer
  /** Length of the whole body. */
  readonly bodyBytes: number
  /** Sends the response. Returns false if the sender has disconnected. */
  respond(reply: Reply): boolean
  /** Sends RST_STREAM with this HTTP/2 error code. Over HTTP/1.1, closes the connection. */
  reset(code: number): void
}

/** Bytes of a body that are kept. Gateways accept 4 KB, so bytes far beyond are only counted. */
export const MAX_BODY_BYTES = 65_536

export class BodyCollector {
  readonly #chunks: Buffer[] = []
  #kept = 0
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#kept >= MAX_BODY_BYTES) return
    this.#chunks.push(chunk)
    this.#kept += chunk.length
  }

  whole(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
  }
}

/** Returns the names that occur more than once in a flat list of names and values (`rawHeaders`). */
export function repeatedNames(rawHeaders: readonly string[]): string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
  }
  return [...repeated]
}

/** Turns every header into one string, because Node returns some as lists. Omits pseudo-headers. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name.startsWith(':')) continue
    flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}
