// The types of @pigeonhole/client/admin, which are written by hand, are those of the schemas that the server answers by.
// `npm run typecheck` fails where they differ.

import type * as client from '@pigeonhole/client/admin'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { listAuditOutput } from '../../src/server/audit-trail.ts'
import type { listUsersOutput, managedUserOutput } from '../../src/server/auth/user-administration-schema.ts'
import type { findingsOutput } from '../../src/server/doctor/finding.ts'
import type { healthOutput } from '../../src/server/http/admin/health.ts'
import type { broadcastsOutput, listAllTokensOutput } from '../../src/server/push/schema.ts'
import type { EventType, listDeliveriesOutput, webhookOutput } from '../../src/server/webhooks/schema.ts'

test('the admin client’s types are the server’s', () => {
  expectTypeOf<client.AdminUser>().toEqualTypeOf<z.output<typeof managedUserOutput>>()
  expectTypeOf<client.AdminPage<client.AdminUser>>().toEqualTypeOf<z.output<typeof listUsersOutput>>()
  expectTypeOf<client.AdminPage<client.AdminPushToken>>().toEqualTypeOf<
    z.output<typeof listAllTokensOutput>
  >()
  expectTypeOf<client.AdminPage<client.AdminBroadcast>>().toEqualTypeOf<z.output<typeof broadcastsOutput>>()
  expectTypeOf<client.DeploymentState>().toEqualTypeOf<z.output<typeof healthOutput>>()
  expectTypeOf<client.Findings>().toEqualTypeOf<z.output<typeof findingsOutput>>()
  expectTypeOf<client.WebhookEvent>().toEqualTypeOf<EventType>()
  expectTypeOf<client.Webhook>().toEqualTypeOf<z.output<typeof webhookOutput>>()
  expectTypeOf<client.AdminPage<client.WebhookDelivery>>().toEqualTypeOf<
    z.output<typeof listDeliveriesOutput>
  >()
  expectTypeOf<client.AdminPage<client.AuditEntry>>().toEqualTypeOf<z.output<typeof listAuditOutput>>()
})
