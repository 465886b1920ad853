import dns from 'node:dns'
import { createServer as createTcp, type Server } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { CONNECT_TIMEOUT_MS, connectTls } from '../../../src/server/adapters/http2/connect-tls.ts'
import { trustedTls } from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0 }
}

/** Imitates the system's resolver with a dead first server. */
function slowResolver(ms: number) {
  const real = dns.lookup
  vi.spyOn(dns, 'lookup').mockImplementation(((...args: Parameters<typeof real>) => {
    setTimeout(() => real(...args), ms)
  }) as typeof real)
}

test('a slow resolver delays the connection but does not fail it', async () => {
  const server = createTls({ cert: tls.certPem, key: tls.keyPem, ALPNProtocols: ['h2'] })
  const { port } = await listening(server)
  slowResolver(CONNECT_TIMEOUT_MS + 300)
  const socket = await connectTls(`https://localhost:${port}`)
  expect(socket.alpnProtocol).toBe('h2')
  socket.destroy()
  server.close()
})

test.each(['127.0.0.1', 'localhost'])('%s: a silent peer times out', async (host) => {
  const server = createTcp((socket) => socket.on('error', () => {}).resume())
  const { port } = await listening(server)
  await expect(connectTls(`https://${host}:${port}`)).rejects.toThrow(
    `no TLS connection within ${CONNECT_TIMEOUT_MS} ms`,
  )
  server.close()
})
