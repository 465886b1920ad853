import { z } from 'zod'
import { pageInput, pageOf } from '../../kernel/page.ts'
import { trimmedText } from '../../kernel/text.ts'
import { jsonTime } from '../../kernel/validation.ts'

/** Events that a webhook can subscribe to. Triggers in prisma/migrations write them. */
export const EVENT_TYPES = [
  'file.ready',
  'file.held',
  'file.rejected',
  'file.expired',
  'file.deleted',
  'push.completed',
  'device.removed',
  'device.disabled',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** Event that an administrator sends to try a webhook. No webhook subscribes to it. */
export const TEST_EVENT = 'webhook.test'

export const DELIVERY_TYPES = [...EVENT_TYPES, TEST_EVENT] as const

/** Type of an event that is delivered. */
export type DeliveryType = (typeof DELIVERY_TYPES)[number]

const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])

export type DeliveryStatus = z.output<typeof deliveryStatus>

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1, 'must name at least one event')
  .refine((list) => new Set(list).size === list.length, 'must name each event only once')
  .meta({ uniqueItems: true })

/** Normalized (WHATWG URL). `checkUrl` decides which hosts and protocols are allowed. */
const url = z
  .string()
  .max(2048, 'must have at most 2048 characters')
  .refine((v) => /^https?:$/.test(URL.parse(v)?.protocol ?? ''), 'must be an https URL')
  .refine((v) => !(URL.parse(v)?.username || URL.parse(v)?.password), {
    error: 'must not contain a user name or password, because the signature identifies the sender',
  })
  .refine((v) => !v.includes('#'), 'must not have a fragment (#), because it is never sent')
  .transform((v) => new URL(v).href)
  .meta({
    format: 'uri',
    pattern: '^[^#]*$',
    description: 'https, unless WEBHOOKS_ALLOW_PRIVATE is set. No user name, no fragment.',
  })

/** Body of POST /api/admin/webhooks. */
export const createWebhookInput = z
  .strictObject({ url, events, description: trimmedText(200).optional() })
  .meta({
    examples: [{ url: 'https://app.example.com/hooks/pigeonhole', events: ['file.ready', 'file.deleted'] }],
  })

/** Body of PATCH /api/admin/webhooks/{id}. */
export const updateWebhookInput = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    /** Null removes it. */
    description: trimmedText(200).nullable().optional(),
    active: z.boolean().optional(),
  })
  .refine(
    (input) => Object.values(input).some((value) => value !== undefined),
    'must contain at least one change',
  )
  .meta({ minProperties: 1, examples: [{ active: true }] })

/** Query of GET /api/admin/webhooks/{id}/deliveries. */
export const listDeliveriesInput = z.strictObject({ status: deliveryStatus.optional(), ...pageInput.shape })

export const createWebhookOutput = z.object({ id: z.string(), secret: z.string() }).meta({
  examples: [{ id: '019aa6f6-7182-7394-a5a6-b0c1d2e3f405', secret: 'whsec_-an-example-not-a-secret-' }],
})

export const webhookOutput = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    description: z.string().nullable(),
    active: z.boolean(),
    createdAt: jsonTime,
    /** When the receiver responded with 410. */
    endedAt: jsonTime.nullable(),
    /** Start of the current series of failed attempts. */
    failingSince: jsonTime.nullable(),
    /** True while a delivery waits for another attempt after a failed one. */
    retrying: z.boolean(),
    /** Latest attempt among the newest 1,000 events. Null: none. */
    lastAttempt: z
      .object({
        at: jsonTime,
        type: z.enum(DELIVERY_TYPES),
        /** Null: no response. */
        httpStatus: z.number().nullable(),
        /** Null: delivered. */
        failure: z.string().nullable(),
      })
      .nullable(),
    /** Results of the newest 100 events, without pending ones. */
    recent: z.object({ delivered: z.number(), failed: z.number() }),
  })
  .meta({
    id: 'Webhook',
    examples: [
      {
        id: '019aa6f6-7182-7394-a5a6-b0c1d2e3f405',
        url: 'https://app.example.com/hooks/pigeonhole',
        events: ['file.ready', 'file.deleted'],
        description: null,
        active: true,
        createdAt: '2026-11-21T12:00:00.000Z',
        endedAt: null,
        failingSince: null,
        retrying: false,
        lastAttempt: {
          at: '2026-11-21T12:00:00.100Z',
          type: 'file.ready',
          httpStatus: 204,
          failure: null,
        },
        recent: { delivered: 99, failed: 1 },
      },
    ],
  })

export type WebhookView = z.input<typeof webhookOutput>

export const listWebhooksOutput = z.object({ items: z.array(webhookOutput) })

/** Attempts that are kept of each delivery. */
export const MAX_HISTORY = 20

const deliveryAttempt = z.object({
  /** When it ended. */
  at: z.iso.datetime(),
  /** Null: no response. */
  httpStatus: z.number().nullable(),
  /** Null: delivered. */
  failure: z.string().nullable(),
  durationMs: z.number(),
})

export type DeliveryAttempt = z.output<typeof deliveryAttempt>

export const deliveryOutput = z
  .object({
    /** ID of the event, which the receiver gets as `webhook-id`. */
    id: z.string(),
    type: z.enum(DELIVERY_TYPES),
    sequence: z.number(),
    status: deliveryStatus,
    attempts: z.number(),
    createdAt: jsonTime,
    lastAttemptAt: jsonTime.nullable(),
    /** Null if there is no further attempt. */
    nextAttemptAt: jsonTime.nullable(),
    httpStatus: z.number().nullable(),
    failure: z.string().nullable(),
    /** The latest attempts (at most 20), oldest first. */
    history: z.array(deliveryAttempt),
    /** The event's `data`, without the URL of a file, which is added to each attempt. */
    data: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'WebhookDelivery',
    examples: [
      {
        id: '5f6c0c1e-3a43-4f0e-9a51-0c2f6a0b9d11',
        type: 'file.ready',
        sequence: 42,
        status: 'delivered',
        attempts: 1,
        createdAt: '2026-11-21T12:00:00.000Z',
        lastAttemptAt: '2026-11-21T12:00:00.100Z',
        nextAttemptAt: null,
        httpStatus: 204,
        failure: null,
        history: [{ at: '2026-11-21T12:00:00.100Z', httpStatus: 204, failure: null, durationMs: 87 }],
        data: { fileId: '019aa6f2-3d4e-7f50-8162-7c8d9e0f1a2b', filename: 'photo.png' },
      },
    ],
  })

export type DeliveryView = z.input<typeof deliveryOutput>

export const listDeliveriesOutput = pageOf(deliveryOutput)

export type CreateWebhookInput = z.output<typeof createWebhookInput>
export type UpdateWebhookInput = z.output<typeof updateWebhookInput>
export type ListDeliveriesInput = z.output<typeof listDeliveriesInput>
