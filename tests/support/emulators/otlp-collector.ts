// An OpenTelemetry collector: accepts traces over OTLP/HTTP in JSON and keeps their spans.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  attributes: Record<string, unknown>
  failed: boolean
  service: unknown
}

export type OtlpCollector = Awaited<ReturnType<typeof startOtlpCollector>>

export const KIND = { internal: 1, server: 2, client: 3 }

export async function startOtlpCollector() {
  const bodies: string[] = []
  const spans: CollectedSpan[] = []
  let isSilent = false
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (isSilent) return
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json') {
      bodies.push(body)
      spans.push(...spansIn(JSON.parse(body)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } else response.writeHead(400).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Spans in order of arrival. */
    bodies,
    /** From now on, accepts requests and does not respond. */
    silence(): void {
      isSilent = true
    },
    close(): Promise<void> {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

type Attribute = { key: string; value: Record<string, unknown> }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes?: Attribute[]
  status?: { code?: number }
}
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
}

function spansIn({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes = [], status }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        kind,
        attributes: valuesOf(attributes),
        failed: status?.code === 2,
        service: valuesOf(resource.attributes)['service.name'],
      })),
    ),
  )
}

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
