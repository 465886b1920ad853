import { z } from 'zod'
import { extraData } from './extra-data.ts'
import { nonBlankText, text, trimmedText } from './text.ts'

/** 28 days, FCM's limit; APNs has none. */
const MAX_TTL_SECONDS = 2_419_200
export const DEFAULT_CATEGORY = 'general'
/** Far above the gateways' 4096 bytes, which are checked for each gateway. */
const MAX_TEXT = 262_144

const whole = (min: number, max: number) =>
  z
    .number()
    .refine(
      (n) => Number.isInteger(n) && n >= min && n <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max })

const category = trimmedText(100)

const MAX_COLLAPSE_ID_BYTES = 64
const collapseId = z
  .string()
  .refine((v) => /^[^\p{Cc}\p{Cs}]+$/u.test(v), 'must not be empty or contain control characters')
  .refine(
    (v) => Buffer.byteLength(v) <= MAX_COLLAPSE_ID_BYTES,
    `must have at most ${MAX_COLLAPSE_ID_BYTES} bytes`,
  )
  .meta({
    minLength: 1,
    maxLength: MAX_COLLAPSE_ID_BYTES,
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
    description: `At most ${MAX_COLLAPSE_ID_BYTES} bytes in UTF-8.`,
  })

const HTTP_URL = '^[hH][tT][tT][pP][sS]?://[^\\s\\x00]+$'
const imageUrl = text(1, 2048)
  .refine((v) => new RegExp(HTTP_URL).test(v) && URL.canParse(v), 'must be an http(s) URL')
  .meta({ format: 'iri', pattern: HTTP_URL, description: 'On iOS it stands beside `aps` under this name.' })

/** Users of one message; a larger audience is a broadcast. */
export const MAX_USER_IDS = 1000

/** POST /api/push/send. Unknown fields are refused: with a misspelled `userId` somebody else would get the push. */
export const sendInput = z
  .strictObject({
    title: nonBlankText(MAX_TEXT),
    body: nonBlankText(MAX_TEXT),
    data: extraData.optional(),
    userId: z.string().optional(),
    userIds: z
      .array(z.string())
      .min(1, 'must have 1 to 1000 ids')
      .max(MAX_USER_IDS, 'must have 1 to 1000 ids')
      .optional(),
    all: z.boolean().optional(),
    category: category.optional(),
    collapseId: collapseId.optional(),
    ttlSeconds: whole(0, MAX_TTL_SECONDS).optional(),
    priority: z.enum(['high', 'normal']).optional(),
    badge: whole(0, 2_147_483_647).optional(),
    sound: text(1, 200).optional(),
    imageUrl: imageUrl.optional(),
    dryRun: z.boolean().optional(),
  })
  .superRefine((input, context) => {
    if (input.userId !== undefined && input.all === true)
      context.addIssue({
        code: 'custom',
        path: ['all'],
        message: 'cannot be true together with userId: send to one user or to everybody',
      })
    if (input.userIds !== undefined && (input.all === true || input.userId !== undefined))
      context.addIssue({
        code: 'custom',
        path: ['userIds'],
        message: 'cannot be given together with userId or all: choose one target',
      })
    if (input.imageUrl !== undefined && input.data && Object.hasOwn(input.data, 'imageUrl'))
      context.addIssue({
        code: 'custom',
        path: ['data', 'imageUrl'],
        message: 'cannot be given together with imageUrl, which has this name on iOS; use another name',
      })
  })
  .meta({
    allOf: [
      { not: { properties: { all: { const: true } }, required: ['all', 'userId'] } },
      { not: { properties: { all: { const: true } }, required: ['all', 'userIds'] } },
      { not: { required: ['userId', 'userIds'] } },
      {
        not: {
          properties: { data: { type: 'object', required: ['imageUrl'] } },
          required: ['data', 'imageUrl'],
        },
      },
    ],
  })

export type SendInput = z.output<typeof sendInput>

/** What a push token may send to: its owner, any users that are named, everybody. */
export const SCOPES = ['self', 'users', 'broadcast'] as const

export type Scope = (typeof SCOPES)[number]

/** POST /api/push/token. */
export const createTokenInput = z
  .strictObject({
    userId: z.string(),
    name: trimmedText(100),
    expiresInDays: whole(1, 3650).default(365),
    allowBroadcast: z.boolean().optional(),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, 'must name at least one scope')
      .refine((list) => new Set(list).size === list.length, 'must not name a scope twice')
      .meta({
        uniqueItems: true,
        description:
          '`self`: the owner; `users`: any users, with `userId` or `userIds`; `broadcast`: everybody. Default: all, without `broadcast` if `allowBroadcast` is false.',
      })
      .optional(),
  })
  .superRefine(({ allowBroadcast, scopes }, context) => {
    if (allowBroadcast !== undefined && scopes && scopes.includes('broadcast') !== allowBroadcast)
      context.addIssue({
        code: 'custom',
        path: ['scopes'],
        message: 'contradicts allowBroadcast: give one of the two',
      })
  })
  .meta({
    allOf: [true, false].map((allowBroadcast) => {
      const has = { contains: { const: 'broadcast' } }
      const scopes = { type: 'array', ...(allowBroadcast ? { not: has } : has) }
      return {
        not: {
          properties: { allowBroadcast: { const: allowBroadcast }, scopes },
          required: ['allowBroadcast', 'scopes'],
        },
      }
    }),
  })

export type CreateTokenInput = z.output<typeof createTokenInput>

const deviceName = trimmedText(100).optional()
const environment = z.enum(['production', 'sandbox']).default('production')

/** devices.register. */
export const registerDeviceInput = z.discriminatedUnion('platform', [
  z.strictObject({
    platform: z.literal('ios'),
    token: z
      .string()
      .regex(/^[0-9a-fA-F]{64,200}$/, 'must be 64 to 200 hex digits')
      .transform((token) => token.toLowerCase()),
    name: deviceName,
    environment,
  }),
  z.strictObject({
    platform: z.literal('android'),
    token: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 printable characters without spaces'),
    name: deviceName,
    environment,
  }),
])

export type RegisterDeviceInput = z.output<typeof registerDeviceInput>

/** devices.unregister: a token of any platform. */
export const unregisterDeviceInput = z.strictObject({ token: z.string().min(1).max(4096) })

/** devices.remove: devices.list shows a device's id, but only the end of its token. */
export const removeDeviceInput = z.strictObject({ deviceId: z.string({ error: 'must be a string' }) })

/** messages.list */
export const listMessagesInput = z.strictObject({
  cursor: z.string({ error: 'must be a string' }).optional(),
  limit: whole(1, 100).default(50),
})

export type ListMessagesInput = z.output<typeof listMessagesInput>

/** preferences.update: either or both. */
export const updatePreferencesInput = z
  .strictObject({
    pushEnabled: z.boolean().optional(),
    mutedCategories: z
      .array(category)
      .max(100, 'must have at most 100 entries')
      .transform((list) => [...new Set(list)])
      .optional(),
  })
  .refine((input) => input.pushEnabled !== undefined || input.mutedCategories !== undefined, {
    message: 'give pushEnabled, mutedCategories or both',
  })

export type UpdatePreferencesInput = z.output<typeof updatePreferencesInput>

const platform = z.enum(['ios', 'android'])

/** The answer to POST /api/push/token, the only one with the raw token. */
export const createTokenOutput = z.object({ token: z.string(), expiresAt: z.iso.datetime(), id: z.string() })

const time = z.iso.datetime()

/** GET /api/push/token. */
export const listTokensOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      userId: z.string(),
      allowBroadcast: z.boolean(),
      createdAt: time,
      expiresAt: time,
      lastUsedAt: time.nullable(),
      revokedAt: time.nullable(),
    }),
  ),
})

/** The answer to POST /api/push/send and GET /api/push/messages/{id}. */
export const messageOutput = z.object({
  id: z.string(),
  status: z.enum(['queued', 'sending', 'completed', 'cancelled', 'dry-run']),
  audience: z.object({ ios: z.number(), android: z.number() }),
  sent: z.number(),
  failed: z.number(),
  removed: z.number(),
  failures: z.array(z.object({ deviceId: z.string(), platform, reason: z.string() })).max(20),
  /** Of `userIds`, only in the answer to the send. */
  unknownUserIds: z.array(z.string()).optional(),
})

export type MessageView = z.output<typeof messageOutput>

/** GET /api/push/messages and GET /api/push/messages/{id}/failures: the query. */
export const pageInput = z.strictObject({
  cursor: z.string().optional(),
  limit: z.coerce.number().pipe(whole(1, 100)).default(50),
})

export type PageInput = z.output<typeof pageInput>

const nextCursor = z.string().nullable()

/** GET /api/push/messages. */
export const messagesOutput = z.object({
  items: z.array(messageOutput.extend({ title: z.string(), createdAt: time })),
  nextCursor,
})

/** GET /api/push/messages/{id}/failures. */
export const failuresOutput = z.object({
  items: z.array(
    z.object({
      deviceId: z.string(),
      userId: z.string().nullable(),
      platform,
      reason: z.string(),
      at: time,
    }),
  ),
  nextCursor,
})
