import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

const TYPES = { js: 'application/javascript; charset=UTF-8', css: 'text/css; charset=UTF-8' }
/** Browsers apply these headers to documents only. A page loads about 20 files. */
const DOCUMENT_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'permissions-policy',
  'referrer-policy',
  'x-frame-options',
]

type Send = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/**
 * Reads what `compressBuild` has written, about 0.6 MB. Returns a function that sends a file of the build and returns
 * true, or returns false if Next must send it: for other files, clients without Brotli, and parts of files.
 */
export async function loadBuildFiles(distDir: string): Promise<Send> {
  const folder = join(distDir, 'static/chunks')
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.br'))
  const bodies = new Map<string, Buffer>(
    await Promise.all(
      names.map(
        async (name) =>
          [
            `/_next/static/chunks/${name.replaceAll('\\', '/').slice(0, -3)}`,
            await readFile(join(folder, name)),
          ] as const,
      ),
    ),
  )
  return (request, response, path) => {
    const body = bodies.get(path)
    const { method, headers } = request
    if (!body) return false
    if (method !== 'GET' && method !== 'HEAD') {
      // Next responds with 500.
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return true
    }
    if (headers.range !== undefined || !acceptsBrotli(String(headers['accept-encoding'] ?? ''))) return false
    for (const name of DOCUMENT_HEADERS) response.removeHeader(name)
    // Node then sends neither Connection nor Keep-Alive: 0.7 KB less for each page. HTTP/1.1 needs them only to close.
    const staysOpen = response.shouldKeepAlive && !response.hasHeader('connection')
    if (staysOpen && request.httpVersion === '1.1') response.removeHeader('connection')
    response.writeHead(200, {
      'content-type': TYPES[path.endsWith('.css') ? 'css' : 'js'],
      'content-encoding': 'br',
      'content-length': body.length,
      // The name contains a hash of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    response.end(method === 'HEAD' ? undefined : body)
    return true
  }
}

/** Returns true if the client accepts Brotli with a weight above 0 (RFC 9110, 12.5.3). */
function acceptsBrotli(acceptEncoding: string): boolean {
  const codings = acceptEncoding.split(',').map((one) => one.split(';').map((part) => part.trim()))
  return codings.some(([name, weight]) => name === 'br' && !/^q=0(?:\.0*)?$/.test(weight ?? ''))
}
