import { createDeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.ts'
import type { DeliveryRepo } from './ports.ts'
import { createDeliveryRetention } from './retention.ts'
import { createWebhooks, type WebhooksDeps } from './webhooks.ts'

export type WebhookService = ReturnType<typeof createWebhookService>

/** Everything that the endpoints and the container use of webhooks. `sweeps`: deliveries over connections for long statements. */
export function createWebhookService(deps: WebhooksDeps & DeliveryWorkerDeps & { sweeps: DeliveryRepo }) {
  return {
    ...createWebhooks(deps),
    worker: createDeliveryWorker(deps),
    retention: createDeliveryRetention({ ...deps, deliveries: deps.sweeps }),
  }
}
