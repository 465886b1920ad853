import type { IncomingMessage, ServerResponse } from 'node:http'
import { namesThisMachine } from '../own-host.ts'
import { serveHttp } from '../serve-http.ts'

type PageOptions = {
  /** Port; 0 for a free one. */
  port: number
  sendAsset(path: string, response: ServerResponse): Promise<void>
  /** Value that the page shows, as JSON. */
  state(): unknown
  /** Performs `POST /ACTION/SUBJECT` and returns true, or returns false if there is no such action. */
  act(action: string, subject: string): boolean | Promise<boolean>
  /** Responds to `GET` of a path and returns true, or returns false if the path is an asset's. */
  get?(path: string, response: ServerResponse): boolean
}

/** A page's server: `url` is its address, `notify` sends the current state to open pages. */
export type PageServer = { url: string; notify(): void; close(): Promise<void> }

/**
 * Serves a page that shows a state as it changes: its assets, `GET /events` (the state as server-sent events), and
 * actions. Only pages of this server can trigger actions.
 */
export async function startPage({ port, sendAsset, state, act, get }: PageOptions): Promise<PageServer> {
  const watching = new Set<ServerResponse>()
  const send = (response: ServerResponse) => response.write(`data: ${JSON.stringify(state())}\n\n`)
  const notify = (): void => {
    for (const response of watching) send(response)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0]!
    if (!namesThisMachine(request)) {
      response.writeHead(403).end()
      return
    }
    if (request.method === 'GET' && path === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      watching.add(response)
      response.on('close', () => watching.delete(response))
      send(response)
      return
    }
    if (request.method === 'GET') {
      if (!get?.(path, response)) await sendAsset(path, response)
      return
    }
    const [, action = '', subject = ''] = path.split('/')
    // Another site's page must not trigger actions.
    const foreign = request.headers.origin !== `http://${request.headers.host}`
    const done = request.method === 'POST' && !foreign && (await act(action, subject))
    if (done) notify()
    response.writeHead(done ? 204 : 404).end()
  }

  const service = await serveHttp(
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (response.headersSent) {
          response.destroy()
          return
        }
        const message = error instanceof Error ? error.message : String(error)
        response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(message)
      })
    },
    { port },
  )
  return { url: `http://localhost:${service.port}`, notify, close: service.close }
}
