import { z } from 'zod'
import { trimmedText } from '../text.ts'

/** What a webhook can be told. prisma/migrations has the triggers that write them. */
export const EVENT_TYPES = [
  'file.ready',
  'file.rejected',
  'file.expired',
  'file.deleted',
  'push.completed',
  'device.removed',
  'device.disabled',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1, 'must name at least one event')
  .refine((list) => new Set(list).size === list.length, 'must not name an event twice')
  .meta({ uniqueItems: true })

/** Stored as it is called (WHATWG URL). Which hosts and protocols are allowed is checked besides. */
const url = z
  .string()
  .max(2048, 'must have at most 2048 characters')
  .refine((v) => /^https?:$/.test(URL.parse(v)?.protocol ?? ''), 'must be an https URL')
  .refine((v) => !(URL.parse(v)?.username || URL.parse(v)?.password), {
    error: 'must not contain a user name or password: the signature proves who calls',
  })
  .refine((v) => !v.includes('#'), 'must not have a fragment (#), which is never sent')
  .transform((v) => new URL(v).href)
  .meta({
    format: 'uri',
    pattern: '^[^#]*$',
    description: 'https, unless WEBHOOKS_ALLOW_PRIVATE is set. No user name, no fragment.',
  })

/** POST /api/admin/webhooks. */
export const createWebhookInput = z.strictObject({ url, events, description: trimmedText(200).optional() })

/** PATCH /api/admin/webhooks/{id}. */
export const updateWebhookInput = z
  .strictObject({ url: url.optional(), events: events.optional(), active: z.boolean().optional() })
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'must change something')
  .meta({ minProperties: 1 })

/** GET /api/admin/webhooks/{id}/deliveries: the query. */
export const listDeliveriesInput = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

const time = z.iso.datetime()

export const createWebhookOutput = z.object({ id: z.string(), secret: z.string() })

export const webhookOutput = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  description: z.string().nullable(),
  active: z.boolean(),
  createdAt: time,
  /** When the receiver answered 410. */
  endedAt: time.nullable(),
  /** Since when all deliveries have failed. */
  failingSince: time.nullable(),
})

export const listWebhooksOutput = z.object({ items: z.array(webhookOutput) })

export const deliveryOutput = z.object({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  sequence: z.number(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.number(),
  createdAt: time,
  lastAttemptAt: time.nullable(),
  /** Null: there will be none. */
  nextAttemptAt: time.nullable(),
  httpStatus: z.number().nullable(),
  failure: z.string().nullable(),
})

export const listDeliveriesOutput = z.object({
  items: z.array(deliveryOutput),
  nextCursor: z.string().nullable(),
})

export type CreateWebhookInput = z.output<typeof createWebhookInput>
export type UpdateWebhookInput = z.output<typeof updateWebhookInput>
export type ListDeliveriesInput = z.output<typeof listDeliveriesInput>
