// A TCP proxy in front of PostgreSQL or the store, which a test can shut, open, or make silent.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy that can be shut: connections break, and new ones are rejected. */
export type TcpProxy = {
  /** The server's URL, through the proxy. */
  url: string
  shut(): Promise<void>
  /** Accepts connections again, to another server if one is given. */
  open(target?: string): Promise<void>
  /**
   * Keeps connections open but forwards nothing more, not even their end, as if the machine were gone. With `existing`,
   * new connections work, as after a failover. With `all`, nothing is forwarded until `resume`, as if the server were
   * stopped.
   */
  silence(which: 'existing' | 'all'): void
  /** Makes new connections work again, and forwards what was sent to stopped ones. */
  resume(): void
  close(): Promise<void>
}

type Pair = { inner: Socket; outer: Socket; isSilent: boolean }

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  let to = new URL(target)
  const pairs = new Set<Pair>()
  let port = 0
  let listener: Server | undefined
  let isStopped = false

  const pass = ({ inner, outer }: Pair) => {
    inner.pipe(outer)
    outer.pipe(inner)
  }
  const stop = ({ inner, outer }: Pair) => {
    inner.unpipe(outer).pause()
    outer.unpipe(inner).pause()
  }

  async function open(newTarget?: string): Promise<void> {
    if (newTarget !== undefined) to = new URL(newTarget)
    listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inner) => {
      const outer = connect({ port: Number(to.port), host: to.hostname, allowHalfOpen: true })
      const pair = { inner, outer, isSilent: isStopped }
      pairs.add(pair)
      for (const [socket, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        socket.on('error', () => pair.isSilent || other.destroy())
        socket.on('close', () => {
          if (pair.isSilent) return
          pairs.delete(pair)
          other.destroy()
        })
      }
      if (!isStopped) pass(pair)
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
    for (const { inner, outer } of pairs) {
      inner.destroy()
      outer.destroy()
    }
    pairs.clear()
    await closed
  }

  await open()
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href.replace(/\/$/, ''),
    open,
    shut,
    silence(which) {
      isStopped = which === 'all'
      for (const pair of pairs) {
        pair.isSilent = true
        stop(pair)
      }
    },
    resume() {
      isStopped = false
      for (const pair of pairs) {
        pair.isSilent = false
        if (pair.inner.destroyed || pair.outer.destroyed) {
          pair.inner.destroy()
          pair.outer.destroy()
          pairs.delete(pair)
        } else pass(pair)
      }
    },
    close: shut,
  }
}
