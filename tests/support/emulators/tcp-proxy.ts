// A TCP proxy in front of PostgreSQL or the store that a test can shut and open.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A door in front of a server that can be shut: connections break and new ones are refused. */
export type TcpProxy = {
  /** The server's URL, through the door. */
  url: string
  shut(): Promise<void>
  open(): Promise<void>
  close(): Promise<void>
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  let port = 0
  let listener: Server | undefined

  async function open(): Promise<void> {
    listener = createServer((inner) => {
      const outer = connect(Number(to.port), to.hostname)
      for (const [socket, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
    port = (listener.address() as AddressInfo).port
  }

  async function shut(): Promise<void> {
    if (!listener) return
    const closed = once(listener, 'close')
    listener.close()
    listener = undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }

  await open()
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return { url: url.href.replace(/\/$/, ''), open, shut, close: shut }
}
