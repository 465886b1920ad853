import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests that wait on a connection for earlier responses. */
const MAX_WAITING = 32

/**
 * Returns a listener that handles the requests of a connection one after the other. Node passes on all pipelined
 * requests at once, and two packets can contain thousands. Drops waiting requests when the connection closes, and
 * closes connections with more than 32 waiting requests.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>()

  return (request, response) => {
    const { socket } = request
    const others = waiting.get(socket)
    if (others === undefined) {
      waiting.set(socket, [])
      begin(socket, request, response)
    } else if (others.length < MAX_WAITING) others.push(() => begin(socket, request, response))
    else socket.destroy()
  }

  function begin(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => {
      const next = socket.destroyed ? undefined : waiting.get(socket)?.shift()
      if (next) next()
      else waiting.delete(socket)
    })
    listener(request, response)
  }
}
