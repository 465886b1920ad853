import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests that wait on a connection for earlier responses. */
const MAX_WAITING = 32

const WAITING = Symbol('waiting requests')
/** `WAITING` is undefined while no request of the connection is in progress. */
type Connection = Socket & { [WAITING]?: (() => void)[] }

/**
 * Returns a listener that handles the requests of a connection one after the other. Node passes on all pipelined
 * requests at once, and two packets can contain thousands. Drops waiting requests when the connection closes, and
 * closes connections with more than 32 waiting requests.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  return (request, response) => {
    const socket: Connection = request.socket
    const others = socket[WAITING]
    if (others === undefined) {
      socket[WAITING] = []
      begin(socket, request, response)
    } else if (others.length < MAX_WAITING) others.push(() => begin(socket, request, response))
    else socket.destroy()
  }

  function begin(socket: Connection, request: IncomingMessage, response: ServerResponse): void {
    response.on('close', () => {
      const next = socket.destroyed ? undefined : socket[WAITING]?.shift()
      if (next) next()
      else socket[WAITING] = undefined
    })
    listener(request, response)
  }
}
