import { queueDepth } from '../adapters/postgres/push/broadcasts/chunk-repo.ts'
import { openCircuitBreakers } from '../adapters/postgres/push/delivery/circuit-breakers.ts'
import { deliveryBacklog } from '../adapters/postgres/webhooks/delivery-repo.ts'
import { createStoreProbe } from '../adapters/s3/bucket.ts'
import type { createGatewayHealth } from '../adapters/telemetry/gateway-health.ts'
import { createHealth } from '../adapters/telemetry/health.ts'
import type { Config } from '../config/config.ts'
import { createDoctor } from '../doctor/doctor.ts'
import type { Platform } from '../domain/push/delivery/gateway.ts'
import { PLATFORM_OF } from '../domain/push/delivery/upstream.ts'
import { type Infrastructure, MIGRATIONS } from './infrastructure.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Connects what operators use: this replica's health, the queues in the database, and doctor. */
export function wireOperations(
  config: Config,
  { broadcastDb, databaseState, log }: Infrastructure,
  gatewayHealth: ReturnType<typeof createGatewayHealth>,
  lifecycle: Lifecycle,
) {
  const probe = createStoreProbe(config.s3)
  lifecycle.register({ close: () => probe.close() })
  const health = createHealth(
    { database: async () => rejectFault(await databaseState.fault()) },
    {
      objectStore: probe.check,
      ...(config.apns && { apns: () => gatewayHealth.check('ios') }),
      ...(config.fcm && { fcm: () => gatewayHealth.check('android') }),
      ...(config.webPush.keys && { webPush: () => gatewayHealth.check('web') }),
    },
    log,
  )
  return {
    health,
    /** State of this replica, and the work waiting in the database. */
    async deploymentState() {
      const [readiness, open, queue, { pending, failing }] = await Promise.all([
        health.ready(),
        openCircuitBreakers(broadcastDb),
        queueDepth(broadcastDb),
        deliveryBacklog(broadcastDb),
      ])
      const configured = { ios: !!config.apns, android: !!config.fcm, web: !!config.webPush.keys }
      const gateways = Object.entries(configured).map(([platform, isConfigured]) => ({
        platform: platform as Platform,
        configured: isConfigured,
        openCircuitBreakers: open.filter((upstream) => PLATFORM_OF[upstream] === platform),
      }))
      return { ...readiness, gateways, queue, webhooks: { pending, failing } }
    },
    doctor: createDoctor(config, MIGRATIONS),
  }
}

function rejectFault(fault: string | null): void {
  if (fault !== null) throw new Error(fault)
}
