import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname } from 'node:path'

const TYPES: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' }
/** Style of all pages. */
const SHARED = new URL('page.css', import.meta.url)

/**
 * Sends the files of a page: `index.html` for `/`, and the common style for `/page.css`. `images` is the
 * Content-Security-Policy's list of image sources.
 */
export function assetSender(folder: URL, files: string[], images: string) {
  const assets = new Map([
    ['/', new URL('index.html', folder)],
    ['/page.css', SHARED],
    ...files.map((file): [string, URL] => [`/${file}`, new URL(file, folder)]),
  ])
  return async (path: string, response: ServerResponse): Promise<void> => {
    const asset = assets.get(path)
    if (!asset) {
      response.writeHead(404).end()
      return
    }
    const body = await readFile(asset)
    response.writeHead(200, {
      'content-type': `${TYPES[extname(asset.pathname)]}; charset=utf-8`,
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'self'; img-src ${images}`,
      'x-content-type-options': 'nosniff',
    })
    response.end(body)
  }
}
