import type { Connection } from './connection.ts'

/** What a gateway says to one request. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text of the body; without it the answer has none. */
  readonly body?: string
}

/** One complete request, over HTTP/2 or HTTP/1.1, and the ways to end it. */
export type Exchange = {
  readonly connection: Connection
  readonly method: string
  /** With the query, as it came. */
  readonly path: string
  /** Lower-case names; a name that came twice has its values joined by `, ` (see `repeatedHeaders`). */
  readonly headers: Readonly<Record<string, string>>
  readonly repeatedHeaders: readonly string[]
  /** At most `MAX_BODY_BYTES` of it. */
  readonly body: Buffer
  /** Length of the whole body. */
  readonly bodyBytes: number
  /** false if the sender has gone and will never see it. */
  answer(reply: Reply): boolean
  /** RST_STREAM with this HTTP/2 error code; over HTTP/1.1 it cuts the connection. */
  reset(code: number): void
}

/** The gateways take 4 KB; what is far beyond is counted but not kept. */
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

/** Names in a flat list of names and values (`rawHeaders`) that occur more than once. */
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

/** Node gives some headers as lists; here every value is one string, pseudo-headers are left out. */
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
