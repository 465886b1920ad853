import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import {
  type AttributeValue,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from '../../kernel/log.ts'
import { within } from '../../kernel/time-limit.ts'
import type { Attributes, Trace } from '../../kernel/trace.ts'

/** A request in progress. */
export type RequestSpan = {
  run<T>(work: () => T): T
  end(status: number): void
  /** For the log. Undefined if this trace is not sampled. */
  traceId: string | undefined
}

export type Tracing = Trace & {
  /** Starts the trace of a request, or continues its caller's. `route` is the pattern: paths can contain secrets. */
  request(request: {
    method: string
    route: string
    requestId: string
    headers: IncomingHttpHeaders
  }): RequestSpan
  /** Sends the remaining spans. Takes at most 2 s, even if the collector does not respond. */
  close(): Promise<void>
}

/** Span in progress. `requestId`: of the request that started it, if any. */
type InProgress = { context: Context; span: Span; requestId: string | undefined }

const CLOSE_MS = 2_000
/** Interval between warnings while the collector is unavailable. */
const WARN_INTERVAL_MS = 60_000
const SERVICE_NAME = 'pigeonhole'

const propagator = new W3CTraceContextPropagator()

/**
 * Sends OpenTelemetry traces over OTLP/HTTP (JSON). The SDK reads the standard OTEL_* variables: endpoint, headers,
 * service name, sampler, limits, batches. Nothing is registered globally, so Next adds no spans, whose URLs would contain
 * queries.
 */
export function startTracing(log: Pick<Logger, 'warn'>): Tracing {
  diag.setLogger(warnIn(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE_NAME }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer(SERVICE_NAME)
  const current = new AsyncLocalStorage<InProgress>()

  function runIn<T>(
    parent: Pick<InProgress, 'context' | 'requestId'> | undefined,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!parent) return work()
    const { requestId } = parent
    const options = { kind, attributes: { ...attributes, ...requestIdOf(requestId) } }
    const span = tracer.startSpan(name, options, parent.context)
    const context = traceApi.setSpan(parent.context, span)
    return current.run({ context, span, requestId }, async () => {
      try {
        return await work()
      } catch (error) {
        // The error's message can contain values.
        span.setAttribute('error.type', nameOf(error))
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  return {
    call: (name, attributes, work) => runIn(current.getStore(), name, SpanKind.CLIENT, attributes, work),
    step: (name, work) => runIn(current.getStore(), name, SpanKind.INTERNAL, {}, work),
    background: (name, attributes, work) =>
      runIn({ context: ROOT_CONTEXT, requestId: undefined }, name, SpanKind.CLIENT, attributes, work),
    note: (attributes) => void current.getStore()?.span.setAttributes(attributes),

    headers() {
      const carrier: Record<string, string> = {}
      const here = current.getStore()
      if (here) propagator.inject(here.context, carrier, { set: (to, key, value) => (to[key] = value) })
      return carrier
    },

    request({ method, route, requestId, headers }) {
      const caller = propagator.extract(ROOT_CONTEXT, headers, {
        get: (from, key) => from[key],
        keys: (from) => Object.keys(from),
      })
      const attributes: Record<string, AttributeValue> = {
        'http.request.method': method,
        'http.route': route,
        ...requestIdOf(requestId),
      }
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller)
      const context = traceApi.setSpan(caller, span)
      return {
        run: (work) => current.run({ context, span, requestId }, work),
        end(status) {
          span.setAttribute('http.response.status_code', status)
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
        traceId: span.isRecording() ? span.spanContext().traceId : undefined,
      }
    },

    async close() {
      await within(
        CLOSE_MS,
        provider.shutdown().catch(() => {}),
      )
    },
  }
}

const requestIdOf = (requestId: string | undefined): Attributes =>
  requestId === undefined ? {} : { 'pigeonhole.request_id': requestId }

/** Returns the error's code, or else its class. */
function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' ? code : (name ?? 'error'))
}

/** Logs the SDK's own warnings, which contain the collector's response and no data of users. */
function warnIn(log: Pick<Logger, 'warn'>) {
  let warnedAt = -WARN_INTERVAL_MS
  const warn = (message: string) => {
    if (performance.now() - warnedAt < WARN_INTERVAL_MS) return
    warnedAt = performance.now()
    log.warn({ source: 'opentelemetry' }, `traces not sent: ${message.slice(0, 500)}`)
  }
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}
