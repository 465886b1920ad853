import type { DeliveryRepo } from './delivery-repo.ts'
import { createDeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.ts'
import { createDeliverySweeper } from './sweeper.ts'
import { createWebhooks, type WebhooksDeps } from './webhooks.ts'

export type WebhookService = ReturnType<typeof createWebhookService>

/** Creates the webhook use cases, worker and sweeper. `sweeps`: deliveries over connections for long statements. */
export function createWebhookService(deps: WebhooksDeps & DeliveryWorkerDeps & { sweeps: DeliveryRepo }) {
  return {
    ...createWebhooks(deps),
    worker: createDeliveryWorker(deps),
    sweeper: createDeliverySweeper({ ...deps, deliveries: deps.sweeps }),
  }
}
