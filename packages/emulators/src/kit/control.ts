import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { ruleInput, settingsInput } from './control-input.ts'
import type { Gateway } from './gateway.ts'
import type { AcceptedPush } from './ledger.ts'
import { started } from './listener.ts'

/** What the control door may do with the gateway's devices. */
export interface DeviceDoor {
  /** Throws on a shape that is none. */
  put(token: string, device: unknown): void
  delete(token: string): boolean
}

export interface ControlDoor {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

type Handler = (argument: string, body: unknown, url: URL, response: ServerResponse) => unknown

/**
 * Opens the door to a gateway's script and ledger for other processes: plain HTTP and JSON on 127.0.0.1.
 *
 * | | |
 * |---|---|
 * | `GET /` | settings, rules, counts, number of held requests |
 * | `POST /settings` | changes some settings, for living connections too |
 * | `POST /rules`, `DELETE /rules/ID`, `DELETE /rules` | adds a rule (answer: `{id}`), removes one, removes all |
 * | `POST /reset` | settings as at the start, no rules |
 * | `POST /release`, `POST /goaway` | lets held requests go on; GOAWAY on every connection |
 * | `GET /ledger/pushes?token=&after=SEQ&limit=` | accepted pushes, oldest first |
 * | `GET /ledger/rejections`, `GET /ledger/histogram`, `DELETE /ledger` | what was refused; devices by pushes; forget |
 * | `GET /ledger/count/TOKEN` | `{count}` of accepted pushes to this device |
 * | `GET /events` | every accepted push from now on, as server-sent events |
 * | `PUT /devices/TOKEN`, `DELETE /devices/TOKEN` | makes a device known, forgets it |
 *
 * `further` adds routes of one gateway alone (`POST /tokens` of FCM). Faults are `{error}` with 400 or 404.
 */
export async function openControlDoor<A extends AcceptedPush>(
  gateway: Gateway<A>,
  devices: DeviceDoor,
  port = 0,
  further: Record<string, (body: unknown) => unknown> = {},
): Promise<ControlDoor> {
  const handlers = handlersFor(gateway, devices)
  for (const [route, handle] of Object.entries(further)) handlers[route] = (_, body) => handle(body)
  const server = createServer((request, response) => {
    void serve(handlers, request, response)
  })
  const listening = await started(server, port, '127.0.0.1')
  return {
    port: listening,
    url: `http://127.0.0.1:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function handlersFor<A extends AcceptedPush>(
  gateway: Gateway<A>,
  devices: DeviceDoor,
): Record<string, Handler> {
  const { ledger, script } = gateway
  const state = () => ({
    settings: script.settings,
    rules: script.rules,
    counts: ledger.counts,
    holding: script.holding,
  })
  const done = (step: () => void) => {
    step()
    return state()
  }
  return {
    'GET /': state,
    'POST /settings': (_, body) => done(() => script.set(settingsInput.parse(body))),
    'POST /rules': (_, body) => ({ id: script.add(ruleInput.parse(body)) }),
    'DELETE /rules': (id) => done(() => (id ? script.remove(id) : script.clear())),
    'POST /reset': () => done(() => script.reset()),
    'POST /release': () => done(() => script.release()),
    'POST /goaway': () => done(() => gateway.goAway()),
    'GET /ledger/pushes': (_, __, url) => pushes(ledger.accepted, url.searchParams),
    'GET /ledger/rejections': () => ({ items: ledger.rejected.slice(-1000) }),
    'GET /ledger/histogram': () => ledger.histogram(),
    'GET /ledger/count': (token) => ({ count: ledger.countOf(token) }),
    'DELETE /ledger': () => done(() => ledger.clear()),
    'GET /events': (_, __, ___, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(':\n\n')
      response.once(
        'close',
        ledger.onAccepted((push) => response.write(`id: ${push.seq}\ndata: ${JSON.stringify(push)}\n\n`)),
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
    if (!handler) {
      send(response, 404, { error: `no ${request.method} ${path} here` })
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
