import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Sends a web Response: in one piece if the whole body is available, otherwise in chunks at the client's speed. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status
  // One header per cookie, because cookies cannot be joined with commas.
  for (const [name, value] of response.headers)
    if (name === 'set-cookie') outgoing.appendHeader(name, value)
    else outgoing.setHeader(name, value)
  if (!response.body || outgoing.req.method === 'HEAD') {
    outgoing.end()
    await response.body?.cancel()
    return
  }
  const reader = response.body.getReader()
  outgoing.once('close', () => void reader.cancel().catch(() => {}))
  const first = await reader.read()
  const second = reader.read()
  const isWhole = first.done || (await Promise.race([second, afterMicrotasks()]))?.done
  if (isWhole) {
    outgoing.end(first.value)
    return
  }
  async function* chunks() {
    yield first.value
    for (let next = await second; !next.done; next = await reader.read()) yield next.value
  }
  await pipeline(chunks, outgoing)
}

/** Resolves once a stream that has all its data has ended. */
const afterMicrotasks = () => new Promise<undefined>(process.nextTick)
