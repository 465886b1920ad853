// An app's backend that receives webhooks and verifies each with the library that receivers use.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../src/server/api/openapi/webhook-events.ts'
import type { EventType } from '../../src/server/domain/webhooks/schema.ts'
import type { AppServices } from '../../src/server/wiring/build-services.ts'

export type Received = {
  id: string
  path: string
  at: number
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API sends, read by a test
  body: { type: EventType; timestamp: string; sequence: number; data: any }
}

type Answer = (response: ServerResponse, received: Received) => void

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>

export async function startWebhookReceiver() {
  const received: Received[] = []
  /** Requests whose signature is invalid, or whose body differs from the OpenAPI document. */
  const forged: string[] = []
  const secrets = new Map<string, Webhook>()
  const answers = new Map<string, Answer>()

  const server = createServer((request, response) => {
    read(request).then(
      (text) => {
        const path = request.url!
        try {
          const body = secrets.get(path)!.verify(text, request.headers as Record<string, string>)
          checkBody(body as Received['body'])
          const one = {
            id: String(request.headers['webhook-id']),
            path,
            at: Date.now(),
            body: body as Received['body'],
          }
          received.push(one)
          const answer = answers.get(path)
          if (answer) answer(response, one)
          else response.writeHead(204).end()
        } catch (error) {
          forged.push(`${path}: ${error}`)
          response.writeHead(400).end()
        }
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    received,
    forged,
    /** Returns the requests received at this path. */
    at: (path: string) => received.filter((one) => one.path === path),
    /** Sets the response at this path from now on; default: 204. */
    answer(path: string, answer?: Answer) {
      if (answer) answers.set(path, answer)
      else answers.delete(path)
    },
    /** Creates a webhook of these services that calls this path. */
    async subscribe(
      services: Pick<AppServices, 'webhooks'>,
      path: string,
      events: EventType[],
    ): Promise<string> {
      const { id, secret } = await services.webhooks.create({ url: url + path, events })
      secrets.set(path, new Webhook(secret))
      return id
    },
    /** Lets a webhook call another path from now on. */
    async move(services: Pick<AppServices, 'webhooks'>, id: string, from: string, to: string) {
      secrets.set(to, secrets.get(from)!)
      await services.webhooks.update(id, { url: url + to }, { actor: 'admin', address: null })
    },
    close: () =>
      new Promise((done) => {
        server.close(done)
        server.closeAllConnections()
      }),
  }
}

/** @throws ZodError if a field is missing, wrong or undocumented. Accepts events of `writeEvents`. */
function checkBody(body: Received['body']): void {
  if (Object.hasOwn(body.data, 'n')) return
  const { shape } = WEBHOOK_EVENTS[body.type]
  z.strictObject({ ...shape, data: shape.data.strict() }).parse(body)
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Inserts events as their triggers do: `count` of one type for all subscribed webhooks. */
export const writeEvents = (
  db: { query(sql: string, values: unknown[]): Promise<unknown> },
  type: EventType,
  count = 1,
) =>
  db.query(
    `SELECT write_webhook_event($1, jsonb_build_object('n', n)) FROM generate_series(1, $2::int) AS n`,
    [type, count],
  )
