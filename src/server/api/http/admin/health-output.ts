import { z } from 'zod'
import { platform } from '../../../domain/push/devices/schema.ts'

/** GET /api/health/ready. */
export const readiness = z.object({
  status: z.enum(['ready', 'unavailable', 'draining']),
  /** Results for `database`, `objectStore` and each configured gateway. */
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
  degraded: z.array(z.string()).meta({
    description:
      'Unavailable services that this replica does not need to serve requests: objectStore, apns, fcm, webPush; for apps other than `default`: shop/apns.',
  }),
})

/** GET /api/admin/health. */
export const healthOutput = readiness
  .extend({
    gateways: z.array(
      z.object({
        app: z.string(),
        platform,
        configured: z.boolean(),
        /** Upstreams whose suspect devices are not disabled, because our own configuration is the likely cause. */
        openCircuitBreakers: z.array(z.string()),
      }),
    ),
    /** Chunks of broadcasts that are due, in progress or waiting for a retry; scheduled messages. */
    queue: z.object({ due: z.number(), leased: z.number(), waiting: z.number(), scheduled: z.number() }),
    /** Undelivered webhook deliveries. */
    webhooks: z.object({ pending: z.number(), failing: z.number() }),
  })
  .meta({
    id: 'Health',
    examples: [
      {
        status: 'ready',
        checks: { database: 'ok', objectStore: 'ok', apns: 'ok' },
        degraded: [],
        gateways: [
          { app: 'default', platform: 'ios', configured: true, openCircuitBreakers: [] },
          { app: 'default', platform: 'android', configured: false, openCircuitBreakers: [] },
          { app: 'default', platform: 'web', configured: false, openCircuitBreakers: [] },
        ],
        queue: { due: 0, leased: 0, waiting: 0, scheduled: 0 },
        webhooks: { pending: 0, failing: 0 },
      },
    ],
  })
