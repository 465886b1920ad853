import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { OnResult } from '../gateway/report.ts'
import type { Swept } from '../upload/sweeper.ts'
import { createGauges } from './gauges.ts'
import { createReasons } from './reason-labels.ts'
import type { StoreCall } from './watch-store.ts'
import type { UploadEvent } from './watch-uploads.ts'

/** Seconds: from one statement in the database to the longest call that spans store and database. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Prometheus metrics of one process. Only told what happened: nothing here decides anything. Every label has
 * a bounded set of values, whatever callers, stores and gateways send.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const http = new Histogram({
    name: 'pigeonhole_http_request_duration_seconds',
    help: 'Answered HTTP requests by route pattern; status 499: the client left.',
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
    help: 'Uploads that did not fit the quota.',
    registers,
  })
  const swept = new Counter({
    name: 'pigeonhole_swept_files_total',
    help: 'What the sweeper did with files.',
    labelNames: ['result'],
    registers,
  })
  const store = new Histogram({
    name: 'pigeonhole_store_call_duration_seconds',
    help: 'Calls to the object store (presigning is none).',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const pushes = new Histogram({
    name: 'pigeonhole_push_attempt_duration_seconds',
    help: 'Attempts to hand one push to a gateway, waiting for a free place in flight included.',
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
    help: 'Accepted sends by target (user, all, dry_run).',
    labelNames: ['target'],
    registers,
  })
  const nameReason = createReasons()
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
    onSwept({ expired, cleaned, dropped, failed }: Swept): void {
      for (const [result, count] of Object.entries({ expired, cleaned, dropped, failed }))
        swept.inc({ result }, count)
    },
    onStoreCall({ operation, outcome, seconds }: StoreCall): void {
      store.observe({ operation, outcome }, seconds)
    },
    onPush: ((gateway, kind, reason, durationMs) => {
      pushes.observe({ gateway, outcome: kind }, durationMs / 1000)
      if (kind !== 'accepted') reasons.inc({ gateway, reason: nameReason(reason) })
    }) satisfies OnResult,
    onMessage(target: 'user' | 'all' | 'dry_run'): void {
      messages.inc({ target })
    },

    ...gauges,
    contentType: registry.contentType,
    /** Prometheus' text format. */
    text: () => registry.metrics(),
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
