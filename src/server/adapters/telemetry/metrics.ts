import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Swept } from '../../domain/uploads/sweeper.ts'
import type { OnResult } from '../http2/gateway-options.ts'
import { createGauges } from './gauges.ts'
import type { StoreCall } from './watch-store.ts'
import type { UploadEvent } from './watch-uploads.ts'

const WELL_FORMED = /^[A-Za-z][A-Za-z0-9_]{0,47}$/

/** APNs has about 30 reasons, FCM about 10, and this server a few. */
const MAX_REASONS = 80

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Bounds the reasons, which gateways choose: the first `MAX_REASONS` well-formed ones, all others as `other`. */
function createReasonLabels(): (reason: string) => string {
  const known = new Set<string>()
  return (reason) => {
    if (known.has(reason)) return reason
    if (known.size >= MAX_REASONS || !WELL_FORMED.test(reason)) return 'other'
    known.add(reason)
    return reason
  }
}

/** Buckets in seconds, from a single database statement to the longest call that spans store and database. */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Prometheus metrics of one process. They only record; nothing depends on them. Every label has a bounded set of
 * values, whatever callers, stores and gateways send.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Histogram({ name, help, labelNames, buckets, registers })

  const http = histogram(
    'pigeonhole_http_request_duration_seconds',
    'HTTP requests by route pattern. Status 499: the client disconnected.',
    ['route', 'method', 'status'],
  )
  const procedures = histogram(
    'pigeonhole_procedure_duration_seconds',
    'tRPC calls by procedure and error code (OK without one).',
    ['procedure', 'code'],
  )
  const uploads = counter('pigeonhole_uploads_total', 'Files that entered a state.', ['state'])
  const rejections = counter('pigeonhole_quota_refusals_total', 'Uploads that exceeded the quota.')
  const storageFull = counter(
    'pigeonhole_storage_full_refusals_total',
    'Uploads that exceeded TOTAL_STORAGE_BYTES.',
  )
  const emails = counter('pigeonhole_mails_total', 'Attempts to send an email, by outcome.', ['outcome'])
  const swept = counter('pigeonhole_swept_files_total', 'Files that the sweeper processed, by result.', [
    'result',
  ])
  const store = histogram(
    'pigeonhole_store_call_duration_seconds',
    'Calls to the object store. Presigning makes none.',
    ['operation', 'outcome'],
  )
  const pushes = histogram(
    'pigeonhole_push_attempt_duration_seconds',
    'Attempts to send one push to a gateway, including the wait for a free stream.',
    ['app', 'gateway', 'outcome'],
  )
  const reasons = counter(
    'pigeonhole_push_not_accepted_total',
    "Attempts that were not accepted, by the gateway's reason.",
    ['app', 'gateway', 'reason'],
  )
  const messages = counter(
    'pigeonhole_push_messages_total',
    'Accepted sends by target (user, users, topic, all, dry_run).',
    ['target'],
  )
  const webhooks = histogram(
    'pigeonhole_webhook_attempt_duration_seconds',
    'Attempts to deliver an event to a webhook, by outcome (delivered, retry, failed).',
    ['outcome'],
  )
  const uncaught = counter(
    'pigeonhole_uncaught_errors_total',
    'Uncaught errors (exception, rejection). The process continues.',
    ['kind'],
  )
  // An alert on an increase needs the value before the first error.
  for (const kind of ['exception', 'rejection']) uncaught.inc({ kind }, 0)
  const nameReason = createReasonLabels()

  return {
    onRequest: (route: string, method: string, status: number, seconds: number) =>
      http.observe({ route, method: METHODS.has(method) ? method : 'other', status }, seconds),
    onProcedure: (procedure: string, code: string, seconds: number) =>
      procedures.observe({ procedure, code }, seconds),
    onUpload: (event: UploadEvent, count: number) =>
      event === 'REFUSED' ? rejections.inc(count) : uploads.inc({ state: event }, count),
    onStorageFull: () => storageFull.inc(),
    onSwept(counts: Swept): void {
      for (const [result, count] of Object.entries(counts)) swept.inc({ result }, count)
    },
    onStoreCall: ({ operation, outcome, seconds }: StoreCall) =>
      store.observe({ operation, outcome }, seconds),
    onPush(app: string, ...[gateway, kind, reason, durationMs]: Parameters<OnResult>): void {
      pushes.observe({ app, gateway, outcome: kind }, durationMs / 1000)
      if (kind !== 'accepted') reasons.inc({ app, gateway, reason: nameReason(reason) })
    },
    onMessage: (target: string) => messages.inc({ target }),
    onUncaughtError: (kind: 'exception' | 'rejection') => uncaught.inc({ kind }),
    onEmail: (outcome: 'sent' | 'retry' | 'failed') => emails.inc({ outcome }),
    onWebhookAttempt: (outcome: 'delivered' | 'retry' | 'failed', seconds: number) =>
      webhooks.observe({ outcome }, seconds),

    ...createGauges(registry),
    registry,
    contentType: registry.contentType,
    /** Returns Prometheus's text format. */
    text: () => registry.metrics(),
  }
}
