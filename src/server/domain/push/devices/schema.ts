import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { trimmedText } from '../../../kernel/text.ts'
import { isoTime, jsonTime } from '../../../kernel/validation.ts'
import { appName, DEFAULT_APP } from './app-name.ts'
import { canonicalLocale, MAX_LOCALE_LENGTH } from './locale.ts'

export const platform = z.enum(['ios', 'android', 'web'])

const device = z
  .object({
    id: z.string(),
    platform,
    app: z.string(),
    name: z.string().nullable(),
    environment: z.enum(['production', 'sandbox']),
    tokenSuffix: z.string(),
    disabledReason: z.string().nullable(),
    createdAt: isoTime,
    lastSeenAt: isoTime,
  })
  .meta({ id: 'Device' })

export type DeviceView = z.input<typeof device>

/** Output of devices.list. */
export const devicesOutput = z.object({ items: z.array(device) })

/** Response of GET /api/admin/users/{id}/devices. */
export const userDevicesOutput = z
  .object({ items: z.array(z.object({ ...device.shape, createdAt: jsonTime, lastSeenAt: jsonTime })) })
  .meta({
    examples: [
      {
        items: [
          {
            id: '019aa6f3-7c81-7f20-9b51-3d2e1f0a9b8c',
            platform: 'ios',
            app: 'default',
            name: "Ada's iPhone",
            environment: 'production',
            tokenSuffix: '9f3a61c2',
            disabledReason: null,
            createdAt: '2026-11-21T12:00:00.000Z',
            lastSeenAt: '2026-11-21T12:30:00.000Z',
          },
        ],
      },
    ],
  })

const name = trimmedText(100).optional()

const app = appName.default(DEFAULT_APP)

const environment = z.enum(['production', 'sandbox']).default('production')

const locale = z
  .string({ error: 'must be a string' })
  .max(MAX_LOCALE_LENGTH, `must have at most ${MAX_LOCALE_LENGTH} characters`)
  .refine((tag) => canonicalLocale(tag) !== null, 'must be a language tag (BCP 47), like de or pt-BR')
  .transform((tag) => canonicalLocale(tag)!)
  .optional()

/** base64url as browsers send it, with or without padding; normalized to none. */
const bytes = (count: number, meaning: string) =>
  z
    .string({ error: 'must be a string' })
    .refine(
      (text) => /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === count,
      `must be ${meaning} (base64url of ${count} bytes)`,
    )
    .transform((text) => Buffer.from(text, 'base64url').toString('base64url'))

function isPointOfP256(text: string): boolean {
  const key = Buffer.from(text, 'base64url')
  if (key[0] !== 4) return false
  try {
    ECDH.convertKey(key, 'prime256v1')
    return true
  } catch {
    return false
  }
}

/** PushSubscription in the form of the browser's `toJSON()` (W3C Push API). `checkEndpoint` checks the host. */
const webSubscription = z.strictObject({
  endpoint: z
    .string({ error: 'must be a string' })
    .max(2048, 'must have at most 2048 characters')
    .regex(/^https:\/\/[\x21-\x7e]+$/, 'must be an https URL')
    .refine((text) => URL.canParse(text), 'must be an https URL'),
  /** Ignored, because a push service reports ended subscriptions. */
  expirationTime: z.number().nullish(),
  keys: z.strictObject({
    p256dh: bytes(65, 'the public key of the subscription').refine(
      isPointOfP256,
      'must be an uncompressed point on the curve P-256',
    ),
    auth: bytes(16, 'the authentication secret of the subscription'),
  }),
})

/** Input of devices.register. */
export const registerDeviceInput = z.discriminatedUnion('platform', [
  z.strictObject({
    platform: z.literal('ios'),
    token: z
      .string()
      .regex(/^[0-9a-fA-F]{64,200}$/, 'must be 64 to 200 hex digits')
      .transform((token) => token.toLowerCase()),
    app,
    name,
    locale,
    environment,
  }),
  z.strictObject({
    platform: z.literal('android'),
    token: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 printable characters without spaces'),
    app,
    name,
    locale,
    environment,
  }),
  z.strictObject({ platform: z.literal('web'), subscription: webSubscription, app, name, locale }),
])

export type RegisterDeviceInput = z.output<typeof registerDeviceInput>

/** Input of devices.unregister. `token`: a device token, or the endpoint of a web push subscription. */
export const unregisterDeviceInput = z.strictObject({ token: z.string().min(1).max(4096) })

/** Input of devices.remove. By ID, because devices.list shows only the end of each token. */
export const removeDeviceInput = z.strictObject({ deviceId: z.string({ error: 'must be a string' }) })
