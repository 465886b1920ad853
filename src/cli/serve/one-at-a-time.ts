import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait on a connection for the response to the one before. */
const MAX_WAITING = 32

/**
 * `listener`, given the requests of a connection one after the other. Node hands over as many as a client sends without
 * waiting for responses (pipelining), thousands in a packet or two. The rest of a connection that ends is dropped, and
 * a connection with more than 32 waiting is ended.
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
