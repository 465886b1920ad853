import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'

const ASSETS: Record<string, { file: string; type: string }> = {
  '/': { file: 'index.html', type: 'text/html' },
  '/phones.css': { file: 'phones.css', type: 'text/css' },
  '/phones.js': { file: 'phones.js', type: 'text/javascript' },
}

export async function sendAsset(path: string, response: ServerResponse): Promise<void> {
  const asset = ASSETS[path]
  if (!asset) {
    response.writeHead(404).end()
    return
  }
  const body = await readFile(new URL(`page/${asset.file}`, import.meta.url))
  response.writeHead(200, {
    'content-type': `${asset.type}; charset=utf-8`,
    'cache-control': 'no-store',
    // Pushes carry other people's text and pictures.
    'content-security-policy': "default-src 'self'; img-src 'self' http: https: data:",
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}
