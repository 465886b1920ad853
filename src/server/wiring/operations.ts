import { queueDepth } from '../adapters/postgres/push/broadcasts/chunk-repo.ts'
import { openCircuitBreakers } from '../adapters/postgres/push/delivery/circuit-breakers.ts'
import { deliveryBacklog } from '../adapters/postgres/webhooks/delivery-repo.ts'
import { createStoreProbe } from '../adapters/s3/bucket.ts'
import type { createGatewayHealth } from '../adapters/telemetry/gateway-health.ts'
import { createHealth } from '../adapters/telemetry/health.ts'
import type { Config, PushApp } from '../config/config.ts'
import { createDoctor } from '../doctor/doctor.ts'
import type { Platform } from '../domain/push/delivery/gateway.ts'
import { partsOf } from '../domain/push/delivery/upstream.ts'
import { DEFAULT_APP } from '../domain/push/devices/app-name.ts'
import { type Infrastructure, MIGRATIONS } from './infrastructure.ts'

/** Connects what operators use: this replica's health, the queues in the database, and doctor. */
export function wireOperations(
  config: Config,
  { broadcastDb, databaseState, lifecycle, log }: Infrastructure,
  gatewayHealth: ReturnType<typeof createGatewayHealth>,
) {
  const gateways = [...config.pushApps].flatMap(([app, settings]) => gatewaysOf(app, settings, config))
  const probe = createStoreProbe(config.s3)
  lifecycle.register({ close: () => probe.close() })
  const health = createHealth(
    { database: async () => rejectFault(await databaseState.fault()) },
    {
      objectStore: probe.check,
      ...Object.fromEntries(
        gateways
          .filter(({ configured }) => configured)
          .map(({ app, platform }) => [
            app === DEFAULT_APP ? CHECKS[platform] : `${app}/${CHECKS[platform]}`,
            () => gatewayHealth.check(app, platform),
          ]),
      ),
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
      return {
        ...readiness,
        gateways: gateways.map((gateway) => ({
          ...gateway,
          openCircuitBreakers: open.filter((upstream) => {
            const { app, platform } = partsOf(upstream)
            return app === gateway.app && platform === gateway.platform
          }),
        })),
        queue,
        webhooks: { pending, failing },
      }
    },
    doctor: createDoctor(config, MIGRATIONS),
  }
}

/** Names of the gateways' checks. */
const CHECKS: Record<Platform, string> = { ios: 'apns', android: 'fcm', web: 'webPush' }

function gatewaysOf(app: string, { apns, fcm }: PushApp, { webPush }: Config) {
  const configured = { ios: !!apns, android: !!fcm, web: !!webPush.keys }
  return Object.entries(configured).map(([platform, isConfigured]) => ({
    app,
    platform: platform as Platform,
    configured: isConfigured,
  }))
}

function rejectFault(fault: string | null): void {
  if (fault !== null) throw new Error(fault)
}
