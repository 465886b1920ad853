import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { OnResult } from '../gateway/report.ts'
import type { Swept } from '../upload/sweeper.ts'
import { createGauges } from './gauges.ts'
import { createReasonLabels } from './reason-labels.ts'
import type { StoreCall } from './watch-store.ts'
import type { UploadEvent } from './watch-uploads.ts'

/** Buckets in seconds, from a single database statement to the longest call that spans store and database. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Prometheus metrics of one process. They only record; nothing depends on them. Every label has a bounded set of
 * values, whatever callers, stores and gateways send.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const http = new Histogram({
    name: 'pigeonhole_http_request_duration_seconds',
    help: 'HTTP requests by route pattern. Status 499: the client disconnected.',
    labelNames: ['route', 'method', 'status'],
    buckets: SECONDS,
    registers,
  })
  const procedures = new Histogram({
    name: 'pigeonhole_procedure_duration_seconds',
    help: 'tRPC calls by procedure and error code (OK without one).',
    labelNames: ['procedure', 'code'],
    buckets: SECONDS,
    registers,
  })
  const uploads = new Counter({
    name: 'pigeonhole_uploads_total',
    help: 'Files that entered a state.',
    labelNames: ['state'],
    registers,
  })
  const refusals = new Counter({
    name: 'pigeonhole_quota_refusals_total',
    help: 'Uploads that exceeded the quota.',
    registers,
  })
  const storageFull = new Counter({
    name: 'pigeonhole_storage_full_refusals_total',
    help: 'Uploads that exceeded TOTAL_STORAGE_BYTES.',
    registers,
  })
  const mails = new Counter({
    name: 'pigeonhole_mails_total',
    help: 'Attempts to send a mail, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const swept = new Counter({
    name: 'pigeonhole_swept_files_total',
    help: 'Files that the sweeper processed, by result.',
    labelNames: ['result'],
    registers,
  })
  const store = new Histogram({
    name: 'pigeonhole_store_call_duration_seconds',
    help: 'Calls to the object store. Presigning makes none.',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const pushes = new Histogram({
    name: 'pigeonhole_push_attempt_duration_seconds',
    help: 'Attempts to send one push to a gateway, including the wait for a free stream.',
    labelNames: ['gateway', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const reasons = new Counter({
    name: 'pigeonhole_push_not_accepted_total',
    help: "Attempts that were not accepted, by the gateway's reason.",
    labelNames: ['gateway', 'reason'],
    registers,
  })
  const messages = new Counter({
    name: 'pigeonhole_push_messages_total',
    help: 'Accepted sends by target (user, users, topic, all, dry_run).',
    labelNames: ['target'],
    registers,
  })
  const webhooks = new Histogram({
    name: 'pigeonhole_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver an event to a webhook: delivered, to be tried again, or failed for good.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  })
  const nameReason = createReasonLabels()
  const gauges = createGauges(registry)

  return {
    onRequest(route: string, method: string, status: number, seconds: number): void {
      http.observe({ route, method: METHODS.has(method) ? method : 'other', status }, seconds)
    },
    onProcedure(procedure: string, code: string, seconds: number): void {
      procedures.observe({ procedure, code }, seconds)
    },
    onUpload(event: UploadEvent, count = 1): void {
      if (event === 'REFUSED') refusals.inc(count)
      else uploads.inc({ state: event }, count)
    },
    onStorageFull(): void {
      storageFull.inc()
    },
    onSwept({ expired, cleaned, dropped, excess, failed }: Swept): void {
      for (const [result, count] of Object.entries({ expired, cleaned, dropped, excess, failed }))
        swept.inc({ result }, count)
    },
    onStoreCall({ operation, outcome, seconds }: StoreCall): void {
      store.observe({ operation, outcome }, seconds)
    },
    onPush: ((gateway, kind, reason, durationMs) => {
      pushes.observe({ gateway, outcome: kind }, durationMs / 1000)
      if (kind !== 'accepted') reasons.inc({ gateway, reason: nameReason(reason) })
    }) satisfies OnResult,
    onMessage(target: MessageTarget): void {
      messages.inc({ target })
    },
    onMail(outcome: 'sent' | 'retry' | 'failed'): void {
      mails.inc({ outcome })
    },
    onWebhookAttempt(outcome: 'delivered' | 'retry' | 'failed', seconds: number): void {
      webhooks.observe({ outcome }, seconds)
    },

    ...gauges,
    registry,
    contentType: registry.contentType,
    /** Prometheus' text format. */
    text: () => registry.metrics(),
  }
}

/** Whom a send was for. */
export type MessageTarget = 'user' | 'users' | 'topic' | 'all' | 'dry_run'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
