import { createAddressPolicy } from '../adapters/egress/address-policy.ts'
import { createEgressAgent } from '../adapters/egress/egress-agent.ts'
import { createPost } from '../adapters/egress/post.ts'
import { createDeliveryRepo, deliveryBacklog } from '../adapters/postgres/webhooks/delivery-repo.ts'
import { createWebhookRepo } from '../adapters/postgres/webhooks/webhook-repo.ts'
import { tracePost } from '../adapters/telemetry/trace-ports.ts'
import type { Config } from '../config/config.ts'
import { heldFileUrl } from '../domain/uploads/file-queries.ts'
import type { FileRecord } from '../domain/uploads/file-record.ts'
import { fileUrl, visibilityOf } from '../domain/uploads/file-url.ts'
import type { UploadDeps } from '../domain/uploads/upload-deps.ts'
import { createDeliveryWorker } from '../domain/webhooks/delivery-worker.ts'
import { createDeliverySweeper, createWebhooks } from '../domain/webhooks/webhooks.ts'
import type { Infrastructure } from './infrastructure.ts'

/** Time for webhooks in progress at shutdown. Another replica repeats those that do not finish. */
const WEBHOOK_DRAIN_MS = 3_000

/** Timeout of a webhook delivery, from the DNS lookup to the response. */
const WEBHOOK_TIMEOUT_MS = 10_000

/** Connects webhooks and the delivery of their events. */
export function wireWebhooks(
  config: Config,
  { broadcastDb, clock, db, lifecycle, log, metrics, sweepDb, trace }: Infrastructure,
  files: Pick<UploadDeps, 'urls' | 'store'>,
) {
  const { allowPrivate } = config.webhooks
  const addresses = createAddressPolicy({ allowPrivate })
  const agent = createEgressAgent(addresses, { timeoutMs: WEBHOOK_TIMEOUT_MS })
  const post = createPost(agent, WEBHOOK_TIMEOUT_MS)
  const deliveries = createDeliveryRepo(broadcastDb)
  const worker = createDeliveryWorker({
    deliveries,
    post: trace ? tracePost(post, trace) : post,
    async complete(type, data) {
      if (!type.startsWith('file.')) return data
      const { fileId, key, filename, mimeType } = data as Record<string, string>
      const visibility = visibilityOf(files.urls, data as Pick<FileRecord, 'visibility'>)
      const file = { ...data, visibility }
      if (type === 'file.ready')
        return { ...file, url: fileUrl(files.urls, { id: fileId!, key: key!, visibility }) }
      if (type === 'file.held')
        return {
          ...file,
          url: await heldFileUrl(files, { key: key!, filename: filename!, mimeType: mimeType! }),
        }
      return file
    },
    onAttempt: metrics.onWebhookAttempt,
    clock,
    log,
  })
  metrics.watch({ webhooks: () => deliveryBacklog(sweepDb) })
  lifecycle.register({ close: () => agent.destroy() })
  lifecycle.register({ start: worker.start, drain: () => worker.stop(WEBHOOK_DRAIN_MS) })
  const sweeper = createDeliverySweeper({ deliveries: createDeliveryRepo(sweepDb), clock, log })
  lifecycle.registerSweeper(sweeper)
  const urlRules = { allowHttp: allowPrivate, isForbiddenHost: addresses.isForbiddenHost }
  return { ...createWebhooks({ webhooks: createWebhookRepo(db), deliveries, urls: urlRules }), sweeper }
}
