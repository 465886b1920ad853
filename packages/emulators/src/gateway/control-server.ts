import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { namesThisMachine } from '../own-host.ts'
import { serveHttp } from '../serve-http.ts'
import { ruleInput, settingsInput } from './control-input.ts'
import type { Gateway } from './gateway.ts'
import type { AcceptedPush } from './request-log.ts'

/** The part of a gateway's devices that the control server can change. */
export type DeviceRegistry = {
  /** @throws ZodError if `device` is invalid */
  put(token: string, device: unknown): void
  delete(token: string): boolean
}

export type ControlServer = {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

type Handler = (argument: string, body: unknown, url: URL, response: ServerResponse) => unknown

/**
 * Starts a server that offers a gateway's fault script and request log to other processes: HTTP and JSON on 127.0.0.1.
 *
 * | | |
 * |---|---|
 * | `GET /` | settings, rules, counts, number of held requests |
 * | `POST /settings` | changes some settings, even for open connections |
 * | `POST /rules`, `DELETE /rules/ID`, `DELETE /rules` | adds a rule (response: `{id}`), removes one, removes all |
 * | `POST /reset` | restores the initial settings, removes the rules |
 * | `POST /release`, `POST /goaway` | continues held requests; sends GOAWAY on every connection |
 * | `GET /request-log/pushes?token=&after=SEQ&limit=` | accepted pushes, oldest first |
 * | `GET /request-log/rejections`, `GET /request-log/histogram` | rejected pushes; number of devices by number of pushes |
 * | `GET /request-log/count/TOKEN` | `{count}` of accepted pushes to this device |
 * | `DELETE /request-log` | clears the request log |
 * | `GET /events` | every accepted push from now on, as server-sent events |
 * | `PUT /devices/TOKEN`, `DELETE /devices/TOKEN` | adds a device, removes it |
 *
 * `furtherRoutes` adds routes of one gateway only (`POST /tokens` of FCM). Errors are `{error}` with 400 or 404.
 */
export async function startControlServer<A extends AcceptedPush>(
  gateway: Gateway<A>,
  devices: DeviceRegistry,
  port = 0,
  furtherRoutes: Record<string, (body: unknown) => unknown> = {},
): Promise<ControlServer> {
  const handlers = handlersFor(gateway, devices)
  for (const [route, handle] of Object.entries(furtherRoutes)) handlers[route] = (_, body) => handle(body)
  const service = await serveHttp((request, response) => void serve(handlers, request, response), { port })
  return { ...service, url: `http://127.0.0.1:${service.port}` }
}

/** Adds a control server to a gateway, which closes it first; none without a port. See `startControlServer`. */
export async function withControlServer<A extends AcceptedPush>(
  gateway: Gateway<A>,
  devices: DeviceRegistry,
  port: number | undefined,
  furtherRoutes?: Record<string, (body: unknown) => unknown>,
): Promise<Gateway<A> & { control: ControlServer | null }> {
  const control = port === undefined ? null : await startControlServer(gateway, devices, port, furtherRoutes)
  return {
    ...gateway,
    control,
    async close() {
      await control?.close()
      await gateway.close()
    },
  }
}

function handlersFor<A extends AcceptedPush>(
  gateway: Gateway<A>,
  devices: DeviceRegistry,
): Record<string, Handler> {
  const { requestLog, faults } = gateway
  const state = () => ({
    settings: faults.settings,
    rules: faults.rules,
    counts: requestLog.counts,
    holding: faults.holding,
  })
  const done = (step: () => void) => {
    step()
    return state()
  }
  return {
    'GET /': state,
    'POST /settings': (_, body) => done(() => faults.set(settingsInput.parse(body))),
    'POST /rules': (_, body) => ({ id: faults.add(ruleInput.parse(body)) }),
    'DELETE /rules': (id) => done(() => (id ? faults.remove(id) : faults.clear())),
    'POST /reset': () => done(() => faults.reset()),
    'POST /release': () => done(() => faults.release()),
    'POST /goaway': () => done(() => gateway.goAway()),
    'GET /request-log/pushes': (_, __, url) => pushes(requestLog.accepted, url.searchParams),
    'GET /request-log/rejections': () => ({ items: requestLog.rejected.slice(-1000) }),
    'GET /request-log/histogram': () => requestLog.histogram(),
    'GET /request-log/count': (token) => ({ count: requestLog.countOf(token) }),
    'DELETE /request-log': () => done(() => requestLog.clear()),
    'GET /events': (_, __, ___, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(':\n\n')
      response.once(
        'close',
        requestLog.onAccepted((push) => response.write(`id: ${push.seq}\ndata: ${JSON.stringify(push)}\n\n`)),
      )
      return undefined
    },
    'PUT /devices': (token, body) => done(() => devices.put(token, body ?? {})),
    'DELETE /devices': (token) => done(() => devices.delete(token)),
  }
}

function pushes<A extends AcceptedPush>(accepted: readonly A[], query: URLSearchParams): { items: A[] } {
  const token = query.get('token')
  const after = Number(query.get('after') ?? 0)
  const limit = Number(query.get('limit') ?? 1000)
  const items = accepted.filter((push) => push.seq > after && (token === null || push.token === token))
  return { items: items.slice(0, limit) }
}

async function serve(
  handlers: Record<string, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://control')
  const path = url.pathname
  const exact = handlers[`${request.method} ${path}`]
  const cut = path.lastIndexOf('/')
  const handler = exact ?? handlers[`${request.method} ${path.slice(0, cut)}`]
  try {
    if (!namesThisMachine(request)) {
      send(response, 403, { error: 'Use localhost or an IP address' })
      return
    }
    if (!handler) {
      send(response, 404, { error: `Unknown route: ${request.method} ${path}` })
      return
    }
    const argument = exact ? '' : decodeURIComponent(path.slice(cut + 1))
    const result = handler(argument, await bodyOf(request), url, response)
    if (result !== undefined) send(response, 200, result)
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    send(response, 400, { error: message })
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}
