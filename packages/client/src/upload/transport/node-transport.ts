import http from 'node:http'
import https from 'node:https'
import { NetworkError, UploadError } from '../errors.ts'
import type { PutRequest, PutResponse, Transport } from '../types.ts'
import { BufferPool, bodySlices, SendWindow } from './node-body.ts'

const MAX_ERROR_BYTES = 4096

type Shared = { window: SendWindow; pool: BufferPool }

/** Sends with node:http and keep-alive. The body goes from its source to the socket slice by slice. */
export function nodeTransport(): Transport & { close(): void } {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  }
  const shared = { window: new SendWindow(), pool: new BufferPool() }
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

async function send(req: http.ClientRequest, request: PutRequest, shared: Shared): Promise<PutResponse> {
  const { signal } = request
  const stop = (): void => void req.destroy(new Error('stopped'))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  // A store can reject the request before it has the whole body: do not send the rest.
  let responded = false
  const response = new Promise<PutResponse>((resolve, reject) => {
    req.once('response', (res) => {
      responded = true
      read(res).then(resolve, reject)
    })
    req.on('error', reject)
  })
  try {
    const [result, whole] = await Promise.all([response, writeBody(req, request, shared, () => responded)])
    if (!whole) req.destroy()
    return result
  } catch (error) {
    req.destroy()
    if (signal.aborted) throw signal.reason
    if (error instanceof UploadError) throw error
    throw new NetworkError('The request received no response', error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Returns true if the whole body was written, false if the response or the end of the connection came first. */
async function writeBody(
  req: http.ClientRequest,
  { body, onProgress }: PutRequest,
  shared: Shared,
  responded: () => boolean,
): Promise<boolean> {
  let unsent = 0
  let sent = 0
  let wake = (): void => {}
  for (const event of ['close', 'response']) req.once(event, () => wake())
  for await (const slice of bodySlices(body, shared.pool)) {
    const startedAt = performance.now()
    unsent += slice.bytes.length
    const ahead = unsent
    req.write(slice.bytes, (error) => {
      unsent -= slice.bytes.length
      if (error) return
      slice.release()
      shared.window.update(ahead, performance.now() - startedAt)
      sent += slice.bytes.length
      onProgress(sent)
      wake()
    })
    while (unsent >= shared.window.bytes && !req.destroyed && !responded())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (req.destroyed || responded()) return false
  }
  req.end()
  return true
}

async function read(res: http.IncomingMessage): Promise<PutResponse> {
  const status = res.statusCode ?? 0
  let text = ''
  try {
    for await (const chunk of res.setEncoding('utf8')) if (text.length < MAX_ERROR_BYTES) text += chunk
  } catch (error) {
    // The status decides: the text of an error can be truncated.
    if (status < 300) throw error
  }
  return {
    status,
    etag: res.headers.etag ?? null,
    retryAfter: res.headers['retry-after'] ?? null,
    text: status < 300 ? '' : text.slice(0, MAX_ERROR_BYTES),
  }
}
