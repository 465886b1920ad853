import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** Longer than clamd needs for one file. */
const TIMEOUT_MS = 60_000

/**
 * Sends the bytes at a URL to clamd and returns the name of what it found, or null.
 * @throws Error if the store or clamd is unavailable, or clamd did not scan all bytes: the file may still contain a
 * virus
 */
export async function scan(url: string): Promise<string | null> {
  const stored = await fetch(url)
  if (!stored.ok) throw new Error(`The store responded with HTTP ${stored.status}.`)
  const { hostname, port } = new URL(`tcp://${process.env.CLAMD ?? '127.0.0.1:3310'}`)
  const socket = connect(Number(port), hostname)
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('clamd does not respond')))
  const [answer] = await Promise.all([text(socket), pipeline(instream(stored.body!), socket)])
  const found = /^stream: (?:OK|(?<name>.+) FOUND)\0$/.exec(answer)
  if (!found) throw new Error(`clamd: ${answer || 'no answer'}`)
  return found.groups?.name ?? null
}

/** The command INSTREAM: chunks, each after its length, and a chunk of length 0. */
async function* instream(bytes: AsyncIterable<Uint8Array>) {
  yield Buffer.from('zINSTREAM\0')
  for await (const chunk of bytes) {
    yield lengthOf(chunk)
    yield chunk
  }
  yield lengthOf([])
}

function lengthOf({ length }: ArrayLike<number>): Buffer {
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(length)
  return prefix
}
