import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpServer } from '../../src/cli/serve/http-server.ts'
import { until } from '../support/until.ts'

/** Requests that the listener received and has not yet responded to. */
let open: ServerResponse[] = []
let given: string[] = []
const server = () =>
  createHttpServer((request, response) => {
    given.push(request.url!)
    open.push(response)
  })
let running: ReturnType<typeof server>
beforeEach(async () => {
  open = []
  given = []
  running = server().listen(0)
  await once(running, 'listening')
})
afterEach(() => {
  running.close()
  running.closeAllConnections()
})

function pipelined(count: number) {
  const socket = connect((running.address() as AddressInfo).port)
  socket.on('error', () => {})
  socket.write(Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  return socket
}

test('pipelined requests start one after another and get responses in order', async () => {
  const socket = pipelined(5)
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  for (let n = 0; n < 5; n++) {
    await until('a request has started', () => open.length > 0)
    expect(given).toHaveLength(n + 1)
    expect(open).toHaveLength(1)
    open.pop()!.end(`answer ${n};`)
  }
  await until('all have a response', () => text.includes('answer 4;'))
  expect(text.match(/answer \d/g)).toEqual([0, 1, 2, 3, 4].map((n) => `answer ${n}`))
  socket.destroy()
})

test('requests that wait on a connection that ends never start', async () => {
  const socket = pipelined(5)
  await until('a request has started', () => open.length > 0)
  socket.destroy()
  await once(open[0]!, 'close')
  // Another connection's request arrives after all that the first one could have started.
  const other = pipelined(1)
  await until('the other has started', () => given.length > 1)
  expect(given).toEqual(['/0', '/0'])
  other.destroy()
})

test('a connection with more than 32 waiting requests is closed', async () => {
  const socket = pipelined(34)
  await once(socket, 'close')
  expect(given).toEqual(['/0'])
})

test('33 requests at once all get a response', async () => {
  const socket = pipelined(33)
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  for (let n = 0; n < 33; n++) {
    await until('a request has started', () => open.length > 0)
    open.pop()!.end('answer;')
  }
  await until('all have a response', () => text.match(/answer;/g)?.length === 33)
  socket.destroy()
})
