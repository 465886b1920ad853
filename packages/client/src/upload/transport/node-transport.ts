import http from 'node:http'
import https from 'node:https'
import { NetworkError, UploadError } from '../errors.ts'
import type { PutAnswer, PutRequest, Transport } from '../types.ts'
import { Buffers, Pace, piecesOf } from './node-body.ts'

const MAX_ERROR_BYTES = 4096

type Shared = { pace: Pace; buffers: Buffers }

/** node:http with kept connections; the body goes from its source to the socket piece by piece. */
export function nodeTransport(): Transport & { close(): void } {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  }
  const shared = { pace: new Pace(), buffers: new Buffers() }
  return {
    put: (request) => {
      const url = new URL(request.url)
      const secure = url.protocol === 'https:'
      const req = (secure ? https : http).request(url, {
        method: 'PUT',
        agent: agents[secure ? 'https:' : 'http:'],
        headers: { ...request.headers, 'content-length': request.body.size },
      })
      return send(req, request, shared)
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function send(req: http.ClientRequest, request: PutRequest, shared: Shared): Promise<PutAnswer> {
  const { signal } = request
  const stop = (): void => void req.destroy(new Error('stopped'))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  // A store that refuses answers before it has the body; then the rest is not sent.
  let answered = false
  const answer = new Promise<PutAnswer>((resolve, reject) => {
    req.once('response', (res) => {
      answered = true
      read(res).then(resolve, reject)
    })
    req.on('error', reject)
  })
  try {
    const [result, whole] = await Promise.all([answer, pour(req, request, shared, () => answered)])
    if (!whole) req.destroy()
    return result
  } catch (error) {
    req.destroy()
    if (signal.aborted) throw signal.reason
    if (error instanceof UploadError) throw error
    throw new NetworkError('The request got no answer', error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** True when the whole body is on its way. */
async function pour(
  req: http.ClientRequest,
  { body, onProgress }: PutRequest,
  shared: Shared,
  answered: () => boolean,
): Promise<boolean> {
  let waiting = 0
  let sent = 0
  let wake = (): void => {}
  for (const event of ['close', 'response']) req.once(event, () => wake())
  for await (const piece of piecesOf(body, shared.buffers)) {
    const begun = performance.now()
    waiting += piece.bytes.length
    const ahead = waiting
    req.write(piece.bytes, (error) => {
      waiting -= piece.bytes.length
      if (error) return
      piece.done()
      shared.pace.learn(ahead, performance.now() - begun)
      sent += piece.bytes.length
      onProgress(sent)
      wake()
    })
    while (waiting >= shared.pace.windowBytes && !req.destroyed && !answered())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (req.destroyed || answered()) return false
  }
  req.end()
  return true
}

async function read(res: http.IncomingMessage): Promise<PutAnswer> {
  const status = res.statusCode ?? 0
  let text = ''
  try {
    for await (const piece of res.setEncoding('utf8')) if (text.length < MAX_ERROR_BYTES) text += piece
  } catch (error) {
    // The status is what counts; an error's text that breaks off is no other error.
    if (status < 300) throw error
  }
  return {
    status,
    etag: res.headers.etag ?? null,
    retryAfter: res.headers['retry-after'] ?? null,
    text: status < 300 ? '' : text.slice(0, MAX_ERROR_BYTES),
  }
}
