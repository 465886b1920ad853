// How `npm start` passes Node's requests to the functions of route.ts files, and sends what they return.

import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { FastResponse } from 'srvx'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { callRoute } from '../../../src/cli/serve/call-route.ts'
import { sanitizeRequest } from '../../../src/cli/serve/sanitize-request.ts'
import { sendError } from '../../../src/cli/serve/send-error.ts'
import { setCommonHeaders } from '../../../src/cli/serve/send-response.ts'
import { AppError, INTERNAL_MESSAGE } from '../../../src/server/kernel/errors.ts'
import { until } from '../../support/until.ts'

type Handler = (request: Request) => Response | Promise<Response>

let handler: Handler
let failures: unknown[] = []
const server = createServer((request, response) => {
  const handlers = { GET: handler, POST: handler }
  const caller = sanitizeRequest(request, new URL('https://app.test'), 1)
  setCommonHeaders(response, ['X-Common', 'common', 'Referrer-Policy', 'no-referrer'])
  callRoute({ pattern: request.url!, handlers, params: {} }, request, response, caller).catch((error) => {
    failures.push(error)
    return sendError(response, new AppError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE))
  })
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  failures = []
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const text = new TextEncoder()

test('the URL has our origin, regardless of Host, and any type of body is read', async () => {
  handler = async (request) =>
    Response.json([request.url, request.headers.get('x-a'), request.bodyUsed, await request.json()])
  const answer = await fetch(`${url}/a?b=c`, { method: 'POST', body: '{"a":"ü"}', headers: { 'x-a': '1' } })
  expect(await answer.json()).toEqual(['https://app.test/a?b=c', '1', false, { a: 'ü' }])
  handler = async (request) => Response.json(await request.json())
  const marked = await fetch(url, { method: 'POST', body: '\uFEFF{"a":1}' })
  expect(await marked.json()).toEqual({ a: 1 })
  handler = async (request) => Response.json(Object.fromEntries(await request.formData()) as object)
  const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'x y' }) })
  expect(await form.json()).toEqual({ name: 'x y' })
  handler = async (request) => new Response(request.body)
  const large = 'x'.repeat(1_000_000)
  expect(await (await fetch(url, { method: 'POST', body: large })).text()).toBe(large)
})

test('no way of reading the headers returns what a client claims about hosts, proxies and itself', async () => {
  handler = (request) => {
    const listed = Object.fromEntries(request.headers)
    return Response.json(Object.keys(listed).map((name) => [name, listed[name], request.headers.get(name)]))
  }
  const answer = await fetch(url, {
    headers: {
      'x-forwarded-for': 'forged, 192.0.2.7',
      'x-forwarded-host': 'forged',
      'x-forwarded-proto': 'forged',
      'x-middleware-subrequest': 'forged',
      'x-pigeonhole-address': 'forged',
      'x-request-id': 'forged',
    },
  })
  const seen = (await answer.json()) as [string, string, string][]
  expect(JSON.stringify(seen)).not.toMatch(/forged|127\.0\.0\.1/)
  expect(seen).toEqual(
    expect.arrayContaining([
      ['host', 'app.test', 'app.test'],
      ['x-forwarded-host', 'app.test', 'app.test'],
      ['x-forwarded-proto', 'https', 'https'],
      ['x-pigeonhole-address', '192.0.2.7', '192.0.2.7'],
    ]),
  )
})

test('an address with too many unread bytes gets 429 until it reads or disconnects, except for health checks; others are served', async () => {
  // This is more than the kernel buffers for a connection.
  const large = new Uint8Array(64 * 1024 * 1024)
  handler = async (request) => new Response(request.url.endsWith('/large') ? large : 'small')
  const headers = (address: string) => ({ 'x-forwarded-for': address })
  const sockets = [1, 2].map(() => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\nx-forwarded-for: 192.0.2.1\r\n\r\n')
    return socket
  })
  const status = async (address: string, path = '/') => {
    const answer = await fetch(url + path, { headers: headers(address) })
    await answer.arrayBuffer()
    return answer.status
  }
  await until('too much is unread', async () => (await status('192.0.2.1')) === 429)
  expect(await status('192.0.2.2')).toBe(200)
  expect(await status('192.0.2.1', '/api/health/live')).toBe(200)
  for (const socket of sockets) socket.destroy()
  await until('nothing is unread', async () => (await status('192.0.2.1')) === 200)
  expect(failures).toEqual([])
})

test('a body is read once', async () => {
  handler = async (request) => {
    await request.text()
    return new Response(await request.text().catch((error: Error) => `${request.bodyUsed} ${error.message}`))
  }
  expect(await (await fetch(url, { method: 'POST', body: 'a' })).text()).toBe(
    'true Body is unusable: Body has already been read',
  )
})

test('a body in one piece is sent with its length, without the body for HEAD', async () => {
  handler = () => Response.json({ a: 1 })
  const answer = await fetch(url)
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['7', '{"a":1}'])
  let cancelled = false
  const cancel = () => {
    cancelled = true
  }
  handler = () => new Response(new ReadableStream({ cancel }), { headers: { 'x-a': '1' } })
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('x-a'), await head.text(), cancelled]).toEqual([200, '1', '', true])
})

test('a response that srvx has kept whole is sent like a native one, in every form and without a stream', async () => {
  const headers = { 'content-type': 'application/json', 'x-a': 'ü' }
  const cookies = new Headers([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ])
  const stream = () => new Blob(['streamed']).stream()
  const forms: ((kind: typeof Response) => Response)[] = [
    (kind) => new kind('{"a":"ü"}', { status: 201, headers }),
    (kind) => new kind('{"a":1}', { headers }),
    (kind) => new kind(text.encode('bytes'), { headers }),
    (kind) => new kind('', { headers }),
    (kind) => new kind(null, { headers }),
    (kind) => new kind(null, { status: 204, headers: cookies }),
    (kind) => new kind(stream(), { headers }),
  ]
  for (const form of forms) {
    const answers = []
    for (const kind of [Response, FastResponse]) {
      handler = () => form(kind)
      const answer = await fetch(url)
      const { date, ...rest } = Object.fromEntries(answer.headers)
      answers.push([answer.status, rest, answer.headers.getSetCookie(), await answer.text()])
    }
    expect(answers[1]).toEqual(answers[0])
  }
  handler = () => new FastResponse('{"a":1}', { headers })
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('x-a'), await head.text()]).toEqual([200, 'ü', ''])
})

test('each response has the common headers, and its own ones replace them', async () => {
  for (const kind of [Response, FastResponse]) {
    handler = () => new kind('', { headers: { 'referrer-policy': 'same-origin' } })
    const { headers } = await fetch(url)
    expect([headers.get('x-common'), headers.get('referrer-policy')]).toEqual(['common', 'same-origin'])
  }
  handler = () => {
    throw new Error('unexpected')
  }
  expect((await fetch(url)).headers.get('x-common')).toBe('common')
})

test('each cookie has its own header field', async () => {
  handler = () => {
    const response = new Response(null, { status: 204 })
    response.headers.append('set-cookie', 'a=1; Expires=Sun, 22 Nov 2026 00:00:00 GMT')
    response.headers.append('set-cookie', 'b=2')
    return response
  }
  expect((await fetch(url)).headers.getSetCookie()).toEqual([
    'a=1; Expires=Sun, 22 Nov 2026 00:00:00 GMT',
    'b=2',
  ])
})

test('each chunk of a stream is sent at once', async () => {
  const second = Promise.withResolvers<void>()
  handler = () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(text.encode('first'))
          await second.promise
          controller.enqueue(text.encode('second'))
          controller.close()
        },
      }),
    )
  const reader = (await fetch(url)).body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
  second.resolve()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('second')
  expect((await reader.read()).done).toBe(true)
})

/** Returns a response without end. `made` counts its chunks of 64 KiB. */
function endless(made: { chunks: number; cancelled: boolean }): Response {
  const pull = (controller: ReadableStreamDefaultController) => {
    made.chunks++
    controller.enqueue(new Uint8Array(65_536))
  }
  const cancel = () => {
    made.cancelled = true
  }
  return new Response(new ReadableStream({ pull, cancel }))
}

test('a stream waits for a slow client, and ends when the client disconnects', async () => {
  const made = { chunks: 0, cancelled: false }
  let signal: AbortSignal | undefined
  handler = (request) => {
    signal = request.signal
    return endless(made)
  }
  const response = await new Promise<IncomingMessage>((resolve) => httpRequest(url, resolve).end())
  // Only as many chunks were created as fit into the sockets' buffers.
  const seen: number[] = []
  await until(
    'nothing more is made',
    () => seen.push(made.chunks) > 1 && seen.at(-2) === made.chunks,
    20_000,
    200,
  )
  expect(made.chunks).toBeLessThan(500)
  expect(signal?.aborted).toBe(false)
  response.destroy()
  await until('the stream is cancelled', () => made.cancelled)
  expect(signal?.aborted).toBe(true)
})

test('if a function throws, the response is a 500 in our error format without internal details', async () => {
  handler = () => {
    throw new Error('the password of the database is hunter2')
  }
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('cache-control'), await answer.json()]).toEqual([
    500,
    'no-store',
    {
      error: { code: 'INTERNAL_SERVER_ERROR', message: INTERNAL_MESSAGE },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  ])
})

test('a stream that fails midway closes the connection, so that clients notice that it is incomplete', async () => {
  handler = () => {
    let chunks = 0
    const pull = (controller: ReadableStreamDefaultController) => {
      if (chunks++ < 2) controller.enqueue(text.encode('part'))
      else controller.error(new Error('the source failed'))
    }
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
  }
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow()
  await until('the failure is reported', () => failures.length === 1)
  expect(String(failures[0])).toContain('the source failed')
})

test('a client that disconnects aborts the signal and cuts off its body', async () => {
  const seen: string[] = []
  handler = async (request) => {
    request.signal.addEventListener('abort', () => seen.push('aborted'))
    await request.text().catch((error: Error) => seen.push(error.message))
    return new Response()
  }
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', () => socket.destroy())
  await until('both are recorded', () => seen.length === 2)
  expect(seen).toEqual(['aborted', 'aborted'])
})
