// The handwritten types of @pigeonhole/client/admin match the server's output schemas. `npm run typecheck` fails where
// they differ.

import type * as client from '@pigeonhole/client/admin'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { healthOutput } from '../../src/server/api/http/admin/health-output.ts'
import type { WebhookEventBody } from '../../src/server/api/openapi/webhook-events.ts'
import type { listAuditOutput } from '../../src/server/domain/accounts/audit-trail.ts'
import type { serverKeysOutput } from '../../src/server/domain/accounts/server-key-schema.ts'
import type {
  listUsersOutput,
  managedUserOutput,
} from '../../src/server/domain/accounts/user-administration.ts'
import type {
  createUserTokenInput,
  createUserTokenOutput,
} from '../../src/server/domain/accounts/user-token-schema.ts'
import type { broadcastsOutput } from '../../src/server/domain/push/broadcasts/schema.ts'
import type { listAllTokensOutput } from '../../src/server/domain/push/tokens/schema.ts'
import type { listBackendFilesOutput } from '../../src/server/domain/uploads/backend-files.ts'
import type {
  DeliveryType,
  EventType,
  listDeliveriesOutput,
  webhookOutput,
} from '../../src/server/domain/webhooks/schema.ts'
import type { findingsOutput } from '../../src/server/kernel/finding.ts'

test('the admin client’s types match the server’s', () => {
  expectTypeOf<client.AdminUser>().toEqualTypeOf<z.output<typeof managedUserOutput>>()
  type UsersPage = Awaited<ReturnType<client.AdminClient['users']['list']>>
  expectTypeOf<UsersPage>().toExtend<z.output<typeof listUsersOutput>>()
  expectTypeOf<z.output<typeof listUsersOutput>>().toExtend<UsersPage>()
  expectTypeOf<client.AdminPage<client.AdminPushToken>>().toEqualTypeOf<
    z.output<typeof listAllTokensOutput>
  >()
  expectTypeOf<{ items: client.ServerKey[] }>().toEqualTypeOf<z.output<typeof serverKeysOutput>>()
  expectTypeOf<client.UserToken>().toEqualTypeOf<z.output<typeof createUserTokenOutput>>()
  expectTypeOf<client.NewUserToken>().toExtend<z.input<typeof createUserTokenInput>>()
  expectTypeOf<client.AdminPage<client.BackendFile>>().toEqualTypeOf<
    z.output<typeof listBackendFilesOutput>
  >()
  expectTypeOf<client.AdminPage<client.AdminBroadcast>>().toEqualTypeOf<z.output<typeof broadcastsOutput>>()
  expectTypeOf<client.DeploymentState>().toEqualTypeOf<z.output<typeof healthOutput>>()
  expectTypeOf<client.Findings>().toEqualTypeOf<z.output<typeof findingsOutput>>()
  expectTypeOf<client.WebhookEvent>().toEqualTypeOf<EventType>()
  type Data = { [Type in DeliveryType]: Extract<WebhookEventBody, { type: Type }>['data'] }
  expectTypeOf<client.WebhookEventData>().toExtend<Data>()
  expectTypeOf<Data>().toExtend<client.WebhookEventData>()
  expectTypeOf<client.Webhook>().toEqualTypeOf<z.output<typeof webhookOutput>>()
  expectTypeOf<client.AdminPage<client.WebhookDelivery>>().toEqualTypeOf<
    z.output<typeof listDeliveriesOutput>
  >()
  expectTypeOf<client.AdminPage<client.AuditEntry>>().toEqualTypeOf<z.output<typeof listAuditOutput>>()
})
