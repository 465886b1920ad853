// `npm start` sends the build's scripts and style sheets with Brotli to clients that accept it.

import { globSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'

let server: SharedServer
let paths: string[]
beforeAll(async () => {
  server = await sharedServer()
  paths = globSync('static/chunks/**/*.{js,css}', { cwd: join(ROOT, '.next') }).map(
    (path) => `/_next/${path}`,
  )
})

type Answer = { status: number; headers: Record<string, string | undefined>; body: Buffer }

/** Sends a request without decoding the response. */
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    request(server.url + path, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Answer['headers'],
          body: Buffer.concat(chunks),
        }),
      )
    })
      .on('error', reject)
      .end()
  })

test('every script and style sheet has the same content with Brotli as without, and is smaller than with gzip', async () => {
  expect(paths.length).toBeGreaterThan(30)
  let brotliBytes = 0
  let gzipBytes = 0
  for (const path of paths) {
    const small = await ask(path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
    const plain = await ask(path, { 'accept-encoding': 'gzip' })
    expect(small.status).toBe(200)
    expect(small.headers['content-encoding'], path).toBe('br')
    const { 'content-type': type, 'cache-control': caching } = plain.headers
    expect(small.headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      vary: 'Accept-Encoding',
    })
    expect(small.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-site',
    })
    const text = plain.headers['content-encoding'] === 'gzip' ? gunzipSync(plain.body) : plain.body
    expect(brotliDecompressSync(small.body).equals(text), path).toBe(true)
    brotliBytes += small.body.length
    gzipBytes += plain.body.length
  }
  expect(brotliBytes).toBeLessThan(0.9 * gzipBytes)
})

test.each(['gzip', 'identity', 'br;q=0, gzip', 'br;q=0.0', 'brotli'])(
  'a client that accepts %j gets no Brotli',
  async (accepted) => {
    const { status, headers } = await ask(paths[0]!, { 'accept-encoding': accepted })
    expect([status, headers['content-encoding'] === 'br']).toEqual([200, false])
  },
)

test('a range is a part of the file itself; HEAD has no body; POST is 405', async () => {
  const part = await ask(paths[0]!, { 'accept-encoding': 'br', range: 'bytes=0-9' })
  expect([part.status, part.headers['content-encoding'], part.body.length]).toEqual([206, undefined, 10])
  const head = await ask(paths[0]!, { 'accept-encoding': 'br' }, 'HEAD')
  const get = await ask(paths[0]!, { 'accept-encoding': 'br' })
  expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
    200,
    0,
    String(get.body.length),
  ])
  expect((await ask(paths[0]!, {}, 'POST')).status).toBe(405)
})

test('Chromium compiles scripts of 10 to 256 KB while they arrive, so they begin with its hint', async () => {
  const hint = '//# allFunctionsCalledOnLoad\n'
  let hinted = 0
  for (const path of paths.filter((path) => path.endsWith('.js'))) {
    const text = brotliDecompressSync((await ask(path, { 'accept-encoding': 'br' })).body).toString('latin1')
    const isHinted = text.startsWith(hint)
    const bytes = text.length - (isHinted ? hint.length : 0)
    expect(isHinted, `${path}, ${bytes} bytes`).toBe(bytes >= 10_000 && bytes <= 256_000)
    if (isHinted) hinted++
  }
  expect(hinted).toBeGreaterThan(10)
})

test('a connection stays open after a file of the build, without a header that says so', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const socketOf = (path: string) =>
    new Promise<Socket>((resolve, reject) => {
      request(server.url + path, { agent, headers: { 'accept-encoding': 'br' } }, (response) => {
        expect([response.headers.connection, response.headers['keep-alive']]).toEqual([undefined, undefined])
        const { socket } = response
        response.resume().on('end', () => resolve(socket))
      })
        .on('error', reject)
        .end()
    })
  const first = await socketOf(paths[0]!)
  expect(await socketOf(paths[1]!)).toBe(first)
  agent.destroy()
})

test('a path outside the build is 404', async () => {
  for (const path of ['/_next/static/../BUILD_ID', '/_next/static/chunks/nothing.js'])
    expect((await ask(path, { 'accept-encoding': 'br' })).status, path).toBe(404)
})
