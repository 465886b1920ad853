// Malformed HTTP over raw sockets: one clear rejection, then the connection ends, and nothing hangs.

import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import { sendRaw, statuses } from '../../support/raw-http.ts'
import { until } from '../../support/until.ts'

let server: SharedServer
beforeAll(async () => {
  server = await sharedServer()
})

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const ask = (text: string) => sendRaw(server.url, crlf(text))
/** pino's level. */
const INFO = 30
const alive = async () => (await fetch(`${server.url}/api/health/live`)).status

const POST = 'POST /api/push/send HTTP/1.1\nHost: x\nContent-Type: application/json\n'

describe('malformed requests', () => {
  test.each([
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 400],
    ['HTTP/0.9', 'GET /\n\n', 400],
    ['a target that is not a path', 'OPTIONS * HTTP/1.1\nHost: x\n\n', 400],
    ['an absolute target without a host', 'GET http:///api/health/live HTTP/1.1\nHost: x\n\n', 400],
    ['an absolute target with a user name', 'GET http://x@y/api/health/live HTTP/1.1\nHost: y\n\n', 400],
    ['an absolute target with a fragment', 'GET http://x/api/health/live#a HTTP/1.1\nHost: x\n\n', 400],
    ['no Host', 'GET / HTTP/1.1\n\n', 400],
    ['a space in the path', 'GET /a b HTTP/1.1\nHost: x\n\n', 400],
    ['an unknown method', 'FROB / HTTP/1.1\nHost: x\n\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\nHost: x\nnonsense\n\n', 400],
    ['a control character in a header', 'GET / HTTP/1.1\nHost: x\nA: a\x00b\n\n', 400],
    ['a header name with a space', 'GET / HTTP/1.1\nHost: x\nA : b\n\n', 400],
    ['a folded header', 'GET / HTTP/1.1\nHost: x\nA: b\n c\n\n', 400],
    ['100 KB of headers', `GET / HTTP/1.1\nHost: x\n${`X-A: ${'a'.repeat(1000)}\n`.repeat(100)}\n`, 431],
    ['a path of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\nHost: x\n\n`, 431],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\nHost: evil.example\n\n', 405],
    ['two Hosts', 'GET /api/health/live HTTP/1.1\nHost: app.test\nHost: evil.example\n\n', 400],
    ['the same Host twice', 'GET /api/health/live HTTP/1.1\nHost: x\nhost: x\n\n', 400],
    ['an unknown expectation', `${POST}Expect: miracles\nContent-Length: 2\nConnection: close\n\n{}`, 417],
  ])('%s', async (_, text, status) => {
    const answer = await ask(text)
    expect(answer, 'the connection ends').toBeDefined()
    expect(statuses(answer)).toEqual([status])
    expect(await alive()).toBe(200)
  })

  test.each([
    ['two different lengths', `${POST}Content-Length: 2\nContent-Length: 3\n\n{}`],
    ['a length and chunks', `${POST}Content-Length: 2\nTransfer-Encoding: chunked\n\n0\n\n`],
    ['chunks under another name', `${POST}Transfer-Encoding: xchunked\n\n0\n\n`],
    ['chunks, but not last', `${POST}Transfer-Encoding: chunked, identity\n\n0\n\n`],
    ['a negative length', `${POST}Content-Length: -1\n\n`],
    ['a length with a sign', `${POST}Content-Length: +2\n\n{}`],
    ['an invalid chunk size', `${POST}Transfer-Encoding: chunked\n\nzz\n{}\n0\n\n`],
    ['a bare LF after the chunk size', `${crlf(`${POST}Transfer-Encoding: chunked\n\n2`)}\n{}\r\n0\r\n\r\n`],
  ])('%s is rejected, and a request hidden behind it gets no response', async (_, text) => {
    const hidden = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n'
    const bytes = text.includes('\r\n') ? text : crlf(text)
    const answer = await sendRaw(server.url, bytes + hidden)
    expect(answer, 'the connection ends').toBeDefined()
    expect(answer).not.toContain('"live"')
    expect(statuses(answer).filter((status) => status !== 400 && status !== 401)).toEqual([])
    expect(statuses(answer)).toContain(400)
  })
})

test.each([
  ['TRACE', '/api/push/send'],
  ['TRACE', '/signin'],
  ['PROPFIND', '/api/trpc/account.usage'],
  ['PROPFIND', '/no/such/page/'],
])(
  '%s %s: an unsupported method returns 405 as JSON, and is logged and counted like other requests',
  async (method, path) => {
    const answer = (await ask(`${method} ${path} HTTP/1.1\nHost: x\nConnection: close\n\n`))!
    expect(statuses(answer)).toEqual([405])
    expect(answer).toMatch(/^allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r$/im)
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
    const requestId = /^x-request-id: (.*)\r$/im.exec(answer)![1]!
    expect(JSON.parse(/\{.*\}/.exec(answer)![0])).toEqual({
      error: { code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(method) },
      requestId,
    })
    await until('the log has it', async () => server.log.some((l) => l.includes(requestId)))
    const line = JSON.parse(server.log.find((l) => l.includes(requestId))!)
    expect(line).toMatchObject({ method, path, status: 405, msg: 'request' })
    const { text } = await server.get('/api/metrics', ADMIN_SECRET)
    expect(text).toMatch(/http_requests?.*status="405"/)
  },
)

test('an unsupported upgrade is handled as an ordinary request and leaves no connection open', async () => {
  const answer = await ask(
    'GET /api/health/live HTTP/1.1\nHost: x\nConnection: Upgrade, close\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n',
  )
  expect(statuses(answer)).toEqual([200])
})

test('a valid request in an unusual form gets a status below 500, and the connection ends', async () => {
  for (const line of [
    'GET http://evil.example/ HTTP/1.1',
    'GET http://evil.example/api/health/live HTTP/1.1',
    'TRACE / HTTP/1.1',
    'PUT /signin HTTP/1.1',
    'DELETE / HTTP/1.1',
    'GET /%00 HTTP/1.1',
    'GET /%zz HTTP/1.1',
    'GET /%c0%ae%c0%ae/etc/passwd HTTP/1.1',
    'GET /../../etc/passwd HTTP/1.1',
    'GET /_next/static/../../../package.json HTTP/1.1',
    'GET /_next/image?url=http://169.254.169.254/&w=64&q=75 HTTP/1.1',
    'GET /_next/data/x/index.json HTTP/1.1',
    'GET /?__nextLocale=x&_rsc=1 HTTP/1.1',
    'GET /files/%2e%2e%2f HTTP/1.1',
    'GET /api/trpc/constructor HTTP/1.1',
    'GET /api/trpc/__proto__.toString HTTP/1.1',
    'GET /api/auth/__proto__ HTTP/1.1',
    'GET /api/auth/callback/toString HTTP/1.1',
  ]) {
    const answer = await ask(`${line}\nHost: x\nConnection: close\n\n`)
    expect(answer, line).toBeDefined()
    expect(statuses(answer).length, line).toBe(1)
    expect(statuses(answer)[0], line).toBeLessThan(500)
    expect(answer, line).not.toMatch(/root:x|"dependencies"|evil\.example/)
  }
})

test.each([
  '/api/push/../health/live',
  '/api/%2e%2e/api/health/live',
  '/api/push/.%2E/health/live',
  '/api/./health/live',
  '/api/health/live/.',
  '/api/health/live/%2e%2e',
  '/api/push%2f..%2Fhealth/live',
  '/api/push/%5c..%5Chealth/live',
  '/api\\health\\live',
  'http://app.test/api/push%2fsend',
  'http://app.test/api/push/../health/live',
  'http://app.test/api\\health\\live',
  '/signin/%2e%2e/signup',
])(
  '%s: a path that a proxy could interpret differently returns 400, for the API and for pages',
  async (path) => {
    const answer = await ask(`GET ${path} HTTP/1.1\nHost: x\nConnection: close\n\n`)
    expect(statuses(answer)).toEqual([400])
    expect(answer).toContain('dot segments, backslashes or encoded slashes')
  },
)

test.each(['/api/health/live?x=/../%2e%2e/%2f\\', '/api/health/live?a=../'])(
  '%s: a query can contain them',
  async (path) => {
    expect(statuses(await ask(`GET ${path} HTTP/1.1\nHost: x\nConnection: close\n\n`))).toEqual([200])
  },
)

test.each([
  ['/api/auth/error?error=%0d%0a', 302],
  ['/api/auth/error?error=%E2%82%AC%00', 302],
  ['/api/auth/error/%0d%0a', 302],
  ['/api/auth/callback/credentials', 405],
  ['/api/auth/callback/credentials?error=%0d%0a', 405],
  ['/api/auth/signin?callbackUrl=nowhere', 302],
  ['/api/auth/session?callbackUrl=:::', 200],
])('%s is a client error, %i, and logs no error', async (path, status) => {
  const cookie = 'next-auth.callback-url=:::'
  const answer = await ask(`GET ${path} HTTP/1.1\nHost: x\nCookie: ${cookie}\nConnection: close\n\n`)
  expect(statuses(answer)).toEqual([status])
  const requestId = /^x-request-id: (.*)\r$/im.exec(answer!)![1]!
  const lines = () => server.log.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line))
  await until('the log has it', async () => lines().some(({ msg }) => msg === 'request'))
  expect(lines().filter(({ level }) => level > INFO)).toEqual([])
})

test.each(['%5B%22%22%2C%7B', 'x', '%', '%5B%5D', '%5B%22%22%2C%7B%7D%2Cnull%2Cnull%2Ctrue%5D', 'null', ''])(
  'a malformed router state (%j) returns 400 and logs no error',
  async (state) => {
    for (const [method, path] of [
      ['GET', '/signin'],
      ['GET', '/signup'],
      ['GET', '/missing'],
      ['POST', '/forgot-password'],
    ]) {
      const headers = { rsc: '1', 'next-router-state-tree': state }
      const response = await fetch(`${server.url}${path}`, { method, headers })
      expect([method, path, response.status]).toEqual([method, path, 400])
      await response.arrayBuffer()
      const requestId = response.headers.get('x-request-id')!
      const lines = () =>
        server.log.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line))
      await until('the log has it', async () => lines().some(({ msg }) => msg === 'request'))
      expect(lines().filter(({ level }) => level > INFO)).toEqual([])
    }
  },
)

test('a call of a Server Action, which no page has, returns 400 and logs no error', async () => {
  const form = new FormData()
  form.set('$ACTION_ID_x', '')
  for (const call of [{ headers: { 'next-action': 'a'.repeat(42) } }, { body: form }]) {
    const response = await fetch(`${server.url}/forgot-password`, { method: 'POST', ...call })
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST' } },
    })
    const requestId = response.headers.get('x-request-id')!
    await until('the log has it', async () => server.log.some((line) => line.includes(requestId)))
  }
  expect(server.log.filter((line) => line.includes('Server Action'))).toEqual([])
})

test('unusual forms of React’s protocol headers get a status below 500', async () => {
  for (const [name, value] of [
    ['next-action', 'a'.repeat(40)],
    ['next-action', '__proto__'],
    ['next-router-state-tree', '%5B%22%22%2C%7B'],
    ['next-router-state-tree', 'x'.repeat(5000)],
    ['next-router-state-tree', '%5B%22%22%2C%7B%7D%5D'],
    ['next-router-state-tree', '%5B%22x%22%2C%7B%22y%22%3A%5B%22z%22%2C%7B%7D%5D%7D%5D'],
    [
      'next-router-state-tree',
      '%5B%22%22%2C%7B%22children%22%3A%5B%22__PAGE__%22%2C%7B%7D%2Cnull%2C%22refetch%22%5D%7D%5D',
    ],
    [
      'next-router-state-tree',
      '%5B%22%22%2C%7B%22__proto__%22%3A%5B%22signin%22%2C%7B%7D%5D%7D%2Cnull%2C%22metadata-only%22%5D',
    ],
    ['rsc', '1'],
    ['next-router-prefetch', '1'],
    ['next-router-segment-prefetch', '/../../x'],
    ['x-middleware-subrequest', 'middleware:middleware:middleware'],
    ['x-middleware-rewrite', 'http://evil.example/'],
    ['x-nextjs-data', '1'],
    ['x-now-route-matches', '1=x'],
    ['cookie', '%%%=%%%; =; next-auth.session-token=x.y.z; __proto__=1'],
    ['accept-language', 'x'.repeat(5000)],
    ['if-modified-since', 'yesterday'],
    ['range', 'bytes=5-1,-,x'],
    ['accept-encoding', 'gzip;q=NaN, *;q=-1'],
  ] as const)
    for (const [method, path] of [
      ['GET', '/signin'],
      ['POST', '/signin'],
      ['GET', '/'],
      ['GET', '/api/trpc/account.usage'],
    ]) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        // Next redirects to an address that also has a hash of these headers, and only then reads them.
        headers: { [name]: value, rsc: '1' },
        redirect: 'follow',
        ...(method === 'POST' && { body: 'a=b' }),
      })
      expect(response.status, `${method} ${path} ${name}: ${value.slice(0, 40)}`).toBeLessThan(500)
      await response.arrayBuffer()
    }
})

test('pipelined requests all get responses, and thousands of them do not delay others', async () => {
  const one = 'GET /api/health/live HTTP/1.1\nHost: x\n'
  expect(statuses(await ask(`${`${one}\n`.repeat(4)}${one}Connection: close\n\n`))).toEqual([
    200, 200, 200, 200, 200,
  ])
  const impatient = await Promise.all(Array.from({ length: 20 }, () => ask(`${one}\n`.repeat(1500))))
  expect(await alive()).toBe(200)
  // All of those connections end before most of their requests start.
  for (const answer of impatient) expect(statuses(answer).length).toBeLessThan(100)
})

describe('slow clients', () => {
  test('headers that arrive slowly do not keep a connection open', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 500)
    const startedAt = performance.now()
    await once(socket, 'close')
    clearInterval(drip)
    // 15 s, plus time for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(100_000)
    expect(statuses(answer)).toEqual([408])
  })

  test('300 slow clients at once do not delay others', async () => {
    const { hostname, port } = new URL(server.url)
    const slow = Array.from({ length: 300 }, () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(`${crlf(POST)}Content-Length: 1000\r\n\r\n{`)
      return socket
    })
    await Promise.all(slow.map((socket) => (socket.readyState === 'open' ? null : once(socket, 'connect'))))
    for (let i = 0; i < 20; i++) expect(await alive()).toBe(200)
    expect(slow.filter((socket) => socket.readyState === 'open')).toHaveLength(300)
    for (const socket of slow) socket.destroy()
  })
})
