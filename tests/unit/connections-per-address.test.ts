import { once } from 'node:events'
import { connect, isIPv6, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer, listen } from '../../src/cli/serve/http-server.ts'

/** Second address of this machine. Only Linux has all of 127.0.0.0/8 on loopback. */
const OTHER = process.platform === 'linux' ? '127.0.0.2' : '::1'
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('an address can have a maximum number of connections; further ones are closed, and others are served', async () => {
  const server = createHttpServer((_request, response) => response.end('ok'), 3)
  const port = await listen(server, { port: 0 })
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  /** Returns true if the server responds on a new connection. */
  async function isServed(localAddress: string): Promise<boolean> {
    const host = isIPv6(localAddress) ? localAddress : '127.0.0.1'
    const socket = connect({ port, host, localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(REQUEST)
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }
  for (let i = 0; i < 3; i++) expect(await isServed('127.0.0.1')).toBe(true)
  expect(await isServed('127.0.0.1')).toBe(false)
  expect(await isServed(OTHER)).toBe(true)
  const first = sockets[0]!
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)))
  const before = await connections()
  first.destroy()
  while ((await connections()) === before) await new Promise(setImmediate)
  expect(await isServed('127.0.0.1')).toBe(true)
})
