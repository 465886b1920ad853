import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createUnreadResponses } from '../../src/cli/serve/unread-responses.ts'
import { until } from '../support/until.ts'

/** Opens connections that request a response and read nothing. `begin` gets each response. */
async function unreadResponses(count: number, begin: (response: ServerResponse) => void) {
  const responses: ServerResponse[] = []
  const server = createServer((_request, response) => {
    responses.push(response)
    begin(response)
    response.on('error', () => {})
  })
  server.listen(0)
  await once(server, 'listening')
  const sockets: Socket[] = []
  for (let i = 0; i < count; i++) {
    const socket = connect((server.address() as AddressInfo).port)
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    sockets.push(socket)
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await until('all requests arrived', () => responses.length === count)
  return responses
}

/** More than the kernel buffers. */
const endless = () =>
  Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(64 * 1024)
    })(),
  )

test('a response that the client does not read is closed', async () => {
  const unread = createUnreadResponses(300)
  const [response] = await unreadResponses(1, (response) => {
    unread.add('192.0.2.1', response)
    endless().pipe(response)
  })
  await until('it is closed', () => response!.destroyed)
})

test('an address with 500 unread responses is full until one is closed', async () => {
  const unread = createUnreadResponses()
  const responses = await unreadResponses(500, (response) => unread.add('192.0.2.1', response))
  expect(unread.isFull('192.0.2.1')).toBe(true)
  expect(unread.isFull('192.0.2.2')).toBe(false)
  responses[0]!.destroy()
  await once(responses[0]!, 'close')
  expect(unread.isFull('192.0.2.1')).toBe(false)
})
