import { z } from 'zod'
import { platform } from '../../domain/push/devices/schema.ts'
import { audience } from '../../domain/push/messages/schema.ts'
import { storedData, storedPolicy, VISIBILITIES } from '../../domain/uploads/schema.ts'
import type { DeliveryType } from '../../domain/webhooks/schema.ts'

/** Bodies of deliveries by type, as receivers parse them. Triggers in prisma/migrations write them. */

const user = {
  userId: z.string(),
  /** Your app's ID for the user. Null for users who sign in here, and once the account is deleted. */
  externalId: z.string().nullable(),
}

const file = {
  ...user,
  fileId: z.string(),
  filename: z.string(),
  mimeType: z.string(),
  size: z.int(),
  key: z.string(),
  policy: storedPolicy,
  data: storedData,
  visibility: z.enum(VISIBILITIES),
}

const device = { ...user, deviceId: z.string(), platform, name: z.string().nullable() }

const push = {
  /** Null unless the push went to one user. */
  userId: z.string().nullable(),
  externalId: z.string().nullable(),
  messageId: z.string(),
  pushTokenId: z.string().nullable(),
  category: z.string(),
  audience: z.object(audience.shape),
  sent: z.int(),
  failed: z.int(),
  removed: z.int(),
}

/** Returns the schema of a delivery's body. `id`: name of the component in the OpenAPI document. */
const event = <Type extends DeliveryType, Data extends z.ZodRawShape>(type: Type, id: string, data: Data) =>
  z
    .object({
      type: z.literal(type),
      timestamp: z.iso.datetime(),
      sequence: z.int().meta({
        description:
          'If two events are about the same file, device or push, the one with the larger number happened later.',
      }),
      data: z.object(data),
    })
    .meta({ id })

export const WEBHOOK_EVENTS = {
  'file.ready': event('file.ready', 'FileReadyEvent', { ...file, url: z.string() }),
  'file.held': event('file.held', 'FileHeldEvent', {
    ...file,
    url: z.string().meta({ description: 'Reads the bytes. Valid for 1 hour after each attempt.' }),
  }),
  'file.rejected': event('file.rejected', 'FileRejectedEvent', { ...file, reason: z.string() }),
  'file.expired': event('file.expired', 'FileExpiredEvent', file),
  'file.deleted': event('file.deleted', 'FileDeletedEvent', {
    ...file,
    reason: z.literal('expired').optional().meta({ description: "The policy's expiresInDays has passed." }),
  }),
  'push.completed': event('push.completed', 'PushCompletedEvent', push),
  'device.removed': event('device.removed', 'DeviceRemovedEvent', device),
  'device.disabled': event('device.disabled', 'DeviceDisabledEvent', { ...device, reason: z.string() }),
  'webhook.test': event('webhook.test', 'WebhookTestEvent', { test: z.literal(true) }),
} satisfies { [Type in DeliveryType]: z.ZodType<{ type: Type }> }

/** Body of any delivery. */
export type WebhookEventBody = z.output<(typeof WEBHOOK_EVENTS)[DeliveryType]>
