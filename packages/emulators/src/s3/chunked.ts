import { createHash } from 'node:crypto'
import { s3Error } from './errors.ts'
import { EMPTY_SHA256, hmac, sha256Hex } from './sigv4.ts'
import type { ChunkSeed } from './types.ts'

const CRLF = Buffer.from('\r\n')
const MAX_LINE = 16 * 1024

export type ChunkedMode = { signed: boolean; trailer: boolean; seed?: ChunkSeed }

/** Reads lines and runs of bytes from a stream, without joining more than one line. */
class Reader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async #more(): Promise<Buffer> {
    const next = await this.#source.next()
    if (next.done) throw s3Error('IncompleteBody')
    return next.value
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(CRLF)
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end)
        this.#rest = this.#rest.subarray(end + 2)
        return line
      }
      if (this.#rest.length > MAX_LINE) throw malformed()
      this.#rest = Buffer.concat([this.#rest, await this.#more()])
    }
  }

  /** Returns 1 to `limit` bytes. */
  async some(limit: number): Promise<Buffer> {
    while (this.#rest.length === 0) this.#rest = await this.#more()
    const piece = this.#rest.subarray(0, limit)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /** Closes the source at its current position. */
  async stop(): Promise<void> {
    await this.#source.return?.()
  }

  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0)
    while (!(await this.#source.next()).done);
  }
}

/**
 * Decodes `aws-chunked`, the framing of all STREAMING-* payloads. Each chunk is `hex-size[;chunk-signature=...]` and its
 * bytes; trailing headers follow the chunk of size 0. Chunk and trailer signatures form a chain from `seed`, and are checked if
 * `signed`. Adds trailers to `trailers`.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html (and -trailers.html)
 * @throws S3Error IncompleteBody, InvalidRequest, SignatureDoesNotMatch
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  mode: ChunkedMode,
  trailers: Record<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new Reader(source)
  try {
    let previous = mode.seed?.signature ?? ''
    for (;;) {
      const [size, given] = chunkHeader(await reader.line())
      const hash = mode.signed ? createHash('sha256') : undefined
      for (let left = size; left > 0; ) {
        const piece = await reader.some(left)
        left -= piece.length
        hash?.update(piece)
        yield piece
      }
      // Check after the bytes: S3 also streams them first and discards them if the signature is wrong.
      if (hash) previous = checkChunk(mode.seed, previous, hash.digest('hex'), given)
      if (size === 0) break
      if ((await reader.line()) !== '') throw malformed()
    }
    const lines: string[] = []
    for (let line = await reader.line(); line !== ''; line = await reader.line()) lines.push(line)
    readTrailers(lines, mode, previous, trailers)
    await reader.drain()
  } finally {
    await reader.stop()
  }
}

function malformed(): Error {
  return s3Error('InvalidRequest', 'The aws-chunked body is malformed')
}

function chunkHeader(line: string): [size: number, signature: string | undefined] {
  const m = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line)
  if (!m) throw malformed()
  return [Number.parseInt(m[1] ?? '0', 16), m[2]]
}

function checkChunk(
  seed: ChunkSeed | undefined,
  previous: string,
  hash: string,
  given: string | undefined,
): string {
  if (!seed) throw s3Error('AccessDenied')
  const text = ['AWS4-HMAC-SHA256-PAYLOAD', seed.timestamp, seed.scope, previous, EMPTY_SHA256, hash].join(
    '\n',
  )
  const expected = hmac(seed.key, text).toString('hex')
  if (given !== expected) throw s3Error('SignatureDoesNotMatch', undefined, { StringToSign: text })
  return expected
}

function readTrailers(
  lines: string[],
  mode: ChunkedMode,
  previous: string,
  trailers: Record<string, string>,
): void {
  let canonical = ''
  let signature: string | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1 || !mode.trailer) throw s3Error('InvalidRequest', 'The trailing headers are malformed')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (name === 'x-amz-trailer-signature') signature = value
    else {
      trailers[name] = value
      canonical += `${name}:${value}\n`
    }
  }
  if (!mode.signed || !mode.trailer) return
  if (!mode.seed) throw s3Error('AccessDenied')
  const { timestamp, scope, key } = mode.seed
  const text = ['AWS4-HMAC-SHA256-TRAILER', timestamp, scope, previous, sha256Hex(canonical)].join('\n')
  if (signature !== hmac(key, text).toString('hex')) {
    throw s3Error('SignatureDoesNotMatch', undefined, { StringToSign: text })
  }
}
