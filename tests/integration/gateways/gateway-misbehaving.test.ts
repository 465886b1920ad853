import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createApnsGateway } from '../../../src/server/adapters/apns/gateway.ts'
import type { Gateway } from '../../../src/server/domain/push/delivery/gateway.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
import {
  apnsConfig,
  iosTarget,
  notification,
  quietLog,
  sendAll,
  trustedTls,
} from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type OnStream = (stream: ServerHttp2Stream, count: number, session: ServerHttp2Session) => void

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<TLSSocket>()
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  open.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A gateway implemented by the test. `onStream` gets each complete request. */
async function peer(onStream: OnStream, settings = {}): Promise<{ url: string; server: Http2SecureServer }> {
  const server = createSecureServer({ key: tls.keyPem, cert: tls.certPem, settings })
  let count = 0
  server.on('session', (session) => session.on('error', () => {}))
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    stream.resume()
    stream.on('end', () =>
      onStream(stream as ServerHttp2Stream, ++count, stream.session as ServerHttp2Session),
    )
  })
  return { url: await listen(server), server }
}

/** Forwards bytes until it forgets its connections. Then it drops all bytes but closes nothing. */
async function forwarder(to: string) {
  const target = new URL(to)
  const pairs: Array<[Socket, Socket]> = []
  let closed = 0
  const server = createTcpServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
    near.on('close', () => closed++)
    pairs.push([near, far])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(async () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closedBySender: () => closed,
    forget() {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.resume()
      }
    },
  }
}

function gatewayTo(url: string, options: { timeoutMs?: number; maxInFlight?: number } = {}) {
  const log = quietLog()
  const gateway: Gateway = createApnsGateway(apnsConfig(url), { log, clock: systemClock, ...options })
  open.push(() => gateway.close(100))
  const send = () => gateway.send(gateway.prepare(notification()), iosTarget())
  return { gateway, log, send }
}

const answers: Array<[string, OnStream, object]> = [
  ['an HTML page with 502', (s) => page(s, 502), { kind: 'retry', reason: 'HTTP_502' }],
  ['an HTML page with 404', (s) => page(s, 404), { kind: 'rejected', reason: 'HTTP_404' }],
  ['an HTML page with 410', (s) => page(s, 410), { kind: 'rejected', reason: 'HTTP_410' }],
  ['half a JSON object', (s) => json(s, 400, '{"reason":"BadDev'), { kind: 'rejected', reason: 'HTTP_400' }],
  [
    'JSON that is not an object',
    (s) => json(s, 400, '["BadDeviceToken"]'),
    { kind: 'rejected', reason: 'HTTP_400' },
  ],
  [
    'a reason that is not text',
    (s) => json(s, 400, '{"reason":42}'),
    { kind: 'rejected', reason: 'HTTP_400' },
  ],
  [
    'a reason that PostgreSQL could not store',
    (s) => json(s, 400, '{"reason":"a\\u0000b"}'),
    { kind: 'rejected', reason: 'HTTP_400' },
  ],
  [
    'a reason of 10,000 characters',
    (s) => json(s, 410, `{"reason":"${'a'.repeat(10_000)}"}`),
    { kind: 'rejected', reason: 'HTTP_410' },
  ],
  [
    'an invalid time',
    (s) => json(s, 410, '{"reason":"Unregistered","timestamp":1e300}'),
    { kind: 'gone', reason: 'Unregistered' },
  ],
  ['200 with a body', (s) => page(s, 200), { kind: 'accepted' }],
  ['an endless body', (s) => endless(s), { kind: 'retry', reason: 'BAD_ANSWER' }],
  ['a stream that ends without a response', (s) => s.close(0), { kind: 'retry', reason: 'CONNECTION_LOST' }],
  [
    'half an error, then the connection breaks',
    (s) => half(s, 400),
    { kind: 'retry', reason: 'CONNECTION_LOST' },
  ],
  ['200, then the connection breaks', (s) => half(s, 200), { kind: 'accepted' }],
]

function page(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': status, 'content-type': 'text/html' })
  stream.end('<html><body>Something is wrong</body></html>')
}

function json(stream: ServerHttp2Stream, status: number, body: string): void {
  stream.respond({ ':status': status, 'content-type': 'application/json' })
  stream.end(body)
}

function endless(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 500 })
  const more = () => {
    while (!stream.destroyed && stream.write('x'.repeat(16_384)));
  }
  stream.on('drain', more)
  more()
}

function half(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': status })
  stream.write('{', () => setImmediate(() => stream.session?.destroy()))
}

test.each(answers)('%s', async (_name, onStream, expected) => {
  const { url } = await peer(onStream)
  expect(await gatewayTo(url).send()).toMatchObject(expected)
})

test('a response that never ends times out', async () => {
  const { url } = await peer((stream) => {
    stream.respond({ ':status': 400 })
    const drip = setInterval(() => stream.write(' '), 20)
    stream.on('close', () => clearInterval(drip))
  })
  expect(await gatewayTo(url, { timeoutMs: 300 }).send()).toMatchObject({ kind: 'retry', reason: 'TIMEOUT' })
})

test('GOAWAY with an error: requests after its last stream are sent again, the others become retries', async () => {
  let taken = 0
  const { url } = await peer((stream, count, session) => {
    taken++
    if (count === 20) session.goaway(2, stream.id)
    else if (count < 11 || count > 20) stream.respond({ ':status': 200 }, { endStream: true })
    // 11 to 19 stay open and die with the connection.
  })
  const { gateway } = gatewayTo(url)
  const counts = await sendAll(
    gateway,
    Array.from({ length: 200 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ accepted: 190, 'retry CONNECTION_LOST': 10 })
  expect(taken).toBeGreaterThanOrEqual(200)
})

test('a peer that accepts TLS and then closes gets one connection, not one per push', async () => {
  let connections = 0
  const server = createTlsServer({ key: tls.keyPem, cert: tls.certPem, ALPNProtocols: ['h2'] }, (socket) => {
    connections++
    socket.end()
  })
  const { gateway } = gatewayTo(await listen(server))
  const counts = await sendAll(
    gateway,
    Array.from({ length: 500 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ 'retry UNREACHABLE': 500 })
  expect(connections).toBe(1)
})

test('a peer that never sends SETTINGS causes a retry after the timeout', async () => {
  const server = createTlsServer({ key: tls.keyPem, cert: tls.certPem, ALPNProtocols: ['h2'] }, () => {})
  const { gateway } = gatewayTo(await listen(server), { timeoutMs: 300 })
  const counts = await sendAll(
    gateway,
    Array.from({ length: 50 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ 'retry UNREACHABLE': 50 })
})

test('a peer that allows no streams causes a retry after the timeout', async () => {
  const { url } = await peer(() => {}, { maxConcurrentStreams: 0 })
  const { gateway } = gatewayTo(url, { timeoutMs: 300 })
  const counts = await sendAll(
    gateway,
    Array.from({ length: 50 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ 'retry UNREACHABLE': 50 })
})

test('a dead connection is detected and replaced', async () => {
  const { url } = await peer((stream) => stream.respond({ ':status': 200 }, { endStream: true }))
  const nat = await forwarder(url)
  const { send } = gatewayTo(nat.url, { timeoutMs: 1000 })
  expect(await send()).toEqual({ kind: 'accepted' })
  nat.forget()
  expect(await send()).toMatchObject({ kind: 'retry', reason: 'TIMEOUT' })
  await expect.poll(send).toEqual({ kind: 'accepted' })
  await expect.poll(() => nat.closedBySender()).toBe(1)
})

test('PING distinguishes a slow peer from a dead one, and keeps the slow one’s connection', async () => {
  let pings = 0
  const { url, server } = await peer((stream, count) => {
    if (count !== 2) stream.respond({ ':status': 200 }, { endStream: true })
  })
  server.on('session', (session) => session.on('ping', () => pings++))
  const nat = await forwarder(url)
  const { send } = gatewayTo(nat.url, { timeoutMs: 1000 })
  expect(await send()).toEqual({ kind: 'accepted' })
  expect(await send()).toMatchObject({ kind: 'retry', reason: 'TIMEOUT' })
  await expect.poll(send).toEqual({ kind: 'accepted' })
  await expect.poll(() => pings).toBeGreaterThan(0)
  expect(nat.closedBySender()).toBe(0)
})

test('a gateway that hangs at startup gets one trial request, and the others fail as soon as it times out', async () => {
  let requests = 0
  const { url } = await peer(() => requests++)
  const { gateway } = gatewayTo(url, { timeoutMs: 300 })
  const counts = await sendAll(
    gateway,
    Array.from({ length: 1000 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ 'retry TIMEOUT': 1, 'retry UNREACHABLE': 999 })
  expect(requests).toBe(1)
})

test('a peer behind a proxy that speaks only HTTP/1.1 still gets its pushes', async () => {
  const server = createHttpsServer({ key: tls.keyPem, cert: tls.certPem }, (request, response) => {
    request.resume().on('end', () => response.writeHead(200).end())
  })
  const { gateway, log } = gatewayTo(await listen(server))
  const counts = await sendAll(
    gateway,
    // Each push has its own connection and 2.2 s, in which this process does the TLS of both ends.
    Array.from({ length: 20 }, (_, n) => iosTarget(n)),
  )
  expect(counts).toEqual({ accepted: 20 })
  expect(log.lines.some((line) => line.message.includes('HTTP/1.1'))).toBe(true)
})

test('a certificate that this process does not trust: UNREACHABLE, and the log says why', async () => {
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls')
  const trusted = getCACertificates('default')
  setDefaultCACertificates([])
  try {
    const { url } = await peer((stream) => stream.respond({ ':status': 200 }, { endStream: true }))
    const { send, log } = gatewayTo(url)
    expect(await send()).toMatchObject({ kind: 'retry', reason: 'UNREACHABLE', afterMs: expect.any(Number) })
    expect(JSON.stringify(log.lines.map((l) => String((l.details as { err?: Error }).err)))).toMatch(
      /certificate/,
    )
  } finally {
    setDefaultCACertificates(trusted)
  }
})

test('a name that does not resolve and a closed port are UNREACHABLE', async () => {
  for (const url of ['https://gateway.invalid', 'https://127.0.0.1:1'])
    expect(await gatewayTo(url).send()).toMatchObject({ kind: 'retry', reason: 'UNREACHABLE' })
})
