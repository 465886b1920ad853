// An attacker with many connections, in a separate process: takes an AttackInput as JSON, prints the statuses of its
// responses with their counts. A slow attacker prints how many connections were open or closed at the end.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'

export type AttackInput = {
  origin: string
  method: string
  path: string
  /** Prefix of a random bearer token, different in every request. Default: no token. */
  tokenPrefix?: string
  /** Each `RANDOM` becomes a random word. */
  body?: string
  headers: Record<string, string>
  /** Sends headers or a body byte by byte, or reads nothing of the responses. Default: as fast as possible. */
  slow?: 'headers' | 'body' | 'reading'
  connections: number
  seconds: number
}

const input = JSON.parse(process.argv[2]!) as AttackInput
/** Time between two bytes of a slow connection. */
const DRIP_MS = 100
/** Requests that a connection sends whose responses no one reads. */
const UNREAD_REQUESTS = 4

const word = () => randomBytes(32).toString('base64url')
const statuses: Record<string, number> = {}
if (input.slow) console.log(JSON.stringify(await attackSlowly(input, input.slow)))
else {
  await attackFast()
  console.log(JSON.stringify(statuses))
}

async function attackSlowly(
  { origin, method, path, headers, connections, seconds }: AttackInput,
  slow: 'headers' | 'body' | 'reading',
): Promise<Record<'open' | 'closed', number>> {
  const { hostname: host, port } = new URL(origin)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(slow === 'body' ? ['content-length: 1000'] : []),
  ].join('\r\n')
  const text = {
    headers: `${head}\r\nx-slow: `,
    body: `${head}\r\n\r\n`,
    reading: `${head}\r\n\r\n`.repeat(UNREAD_REQUESTS),
  }[slow]
  const end = performance.now() + seconds * 1000
  const sockets: Socket[] = Array.from({ length: connections }, () => {
    const socket = connect({ host, port: Number(port) })
    // The server closes some connections. That is counted below.
    socket.on('error', () => {})
    if (slow === 'reading') socket.pause()
    else socket.resume()
    socket.write(text)
    return socket
  })
  await Promise.allSettled(
    sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])),
  )
  for (; performance.now() < end; await sleep(DRIP_MS))
    if (slow !== 'reading') for (const socket of sockets) if (socket.writable) socket.write(' ')
  const closed = sockets.filter((socket) => socket.closed).length
  for (const socket of sockets) socket.destroy()
  return { open: sockets.length - closed, closed }
}

async function attackFast(): Promise<void> {
  const instance = autocannon({
    url: input.origin,
    connections: input.connections,
    duration: input.seconds,
    timeout: 60,
    setupClient: (client) =>
      client.setRequests([
        {
          method: input.method as 'GET',
          path: input.path,
          setupRequest: (request) => ({
            ...request,
            body: input.body?.replaceAll('RANDOM', word()),
            headers: {
              ...input.headers,
              ...(input.tokenPrefix !== undefined && {
                authorization: `Bearer ${input.tokenPrefix}${word()}`,
              }),
            },
          }),
          onResponse: (status) => {
            statuses[status] = (statuses[status] ?? 0) + 1
          },
        },
      ]),
  })
  await instance
}
