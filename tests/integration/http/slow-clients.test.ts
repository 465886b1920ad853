// Many connections of one address that send or read as slowly as they can, against the built server behind a proxy.
// Others call from another address. `npm run bench -- attack slow` measures how long they wait.

import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'

const ATTACKER = '203.0.113.1'
const OTHERS = '203.0.113.2'
const HOST = `Host: x\r\nX-Forwarded-For: ${ATTACKER}\r\n`
const MANY = 1_000
/** Each renders a page or reads a file. */
const MANY_READERS = 200

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.close())

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Opens connections that send this and read nothing. */
async function openMany(count: number, text: string): Promise<Socket[]> {
  const { hostname, port } = new URL(server.url)
  const opened: Socket[] = []
  for (let i = 0; i < count; i++) {
    const socket = connect({ port: Number(port), host: hostname })
    socket.on('error', () => {})
    socket.pause()
    socket.write(text)
    opened.push(socket)
  }
  sockets.push(...opened)
  await Promise.all(opened.map((socket) => (socket.connecting ? once(socket, 'connect') : null)))
  return opened
}

/** Returns the status of a call of the others. */
async function callOfOthers(path: string): Promise<number> {
  const { hostname, port } = new URL(server.url)
  const headers = { 'x-forwarded-for': OTHERS }
  const call = request({ host: hostname, port, path, headers, agent: false })
  call.end()
  const [response] = await once(call, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Sends one more byte on each connection until it is called. */
function drip(slow: Socket[], byte: string): () => void {
  const timer = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write(byte)
  }, 1_000)
  return () => clearInterval(timer)
}

/** Fails if one of the others' calls is not answered. */
async function othersAreServed(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    expect(await callOfOthers('/api/trpc/upload.limits')).toBe(200)
    expect(await callOfOthers('/signin')).toBe(200)
  }
}

/** Returns the path of the largest script of the build. */
function largestScript(): string {
  const folder = join(ROOT, '.next/static/chunks')
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const sizeOf = (name: string) => statSync(join(folder, name)).size
  return `/_next/static/chunks/${scripts.sort((a, b) => sizeOf(b) - sizeOf(a))[0]}`
}

describe('others are served while one address', () => {
  test('sends headers byte by byte on many connections, which are closed after 15 s', async () => {
    const slow = await openMany(MANY, `GET / HTTP/1.1\r\n${HOST}X-Slow: `)
    const stop = drip(slow, 'x')
    await othersAreServed()
    for (const socket of slow) socket.resume()
    await until('all are closed', () => slow.every((socket) => socket.closed), 120_000)
    stop()
  })

  test('sends nothing on many connections', async () => {
    await openMany(MANY, '')
    await othersAreServed()
  })

  test.each(['/api/trpc/session.create', '/api/push/send', '/api/auth/callback/credentials', '/s/token'])(
    'sends bodies to %s byte by byte on many connections',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
      const slow = await openMany(MANY, head)
      const stop = drip(slow, ' ')
      await othersAreServed()
      stop()
    },
  )

  test.each(['/api/openapi.json', '/signin', 'a script'])(
    'reads nothing of many responses with %s',
    async (what) => {
      const path = what === 'a script' ? largestScript() : what
      await openMany(MANY_READERS, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`.repeat(4))
      await othersAreServed()
    },
  )
})
