import { z } from 'zod'
import { nonBlankText, text, trimmedText } from '../text.ts'
import { extraData } from './extra-data.ts'
import { canonicalLocale, MAX_LOCALE_LENGTH } from './locale.ts'
import { MAX_TEXT, messageOptions, VISIBLE_FIELDS } from './message-options.ts'
import { webSubscription } from './web-subscription.ts'

/** 28 days, FCM's limit; APNs has none. */
const MAX_TTL_SECONDS = 2_419_200
export const DEFAULT_CATEGORY = 'general'

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

const TOPIC = '^[A-Za-z0-9._~-]{1,100}$'
export const topic = z
  .string({ error: 'must be a string' })
  .regex(new RegExp(TOPIC), 'must have 1 to 100 characters of A-Z a-z 0-9 . _ ~ -')

/** Users of one message; a larger audience is a broadcast. */
export const MAX_USER_IDS = 1000

const IS_SILENT = { properties: { silent: { const: true } }, required: ['silent'] }
const REQUIRED_FIELDS = ['title', 'body'] as const
/** Of which a push has at most one; without, it goes to the token's owner. */
const TARGETS = ['userId', 'externalUserId', 'userIds', 'topic', 'all'] as const
/** Fields that stand among the entries of `data` on a phone. */
const PAYLOAD_FIELDS = ['imageUrl', 'link'] as const

/** How a push looks, sounds and is delivered, besides title and body. */
const delivery = {
  category: category.optional(),
  collapseId: collapseId.optional(),
  ttlSeconds: whole(0, MAX_TTL_SECONDS).optional(),
  priority: z.enum(['high', 'normal']).optional(),
  badge: whole(0, 2_147_483_647).optional(),
  sound: text(1, 200).optional(),
  ...messageOptions,
}

/** `imageUrl` and `link` stand among the entries of `data` on a phone: none of these may have their names. */
function rejectNamesInPayload(
  input: { data?: Record<string, unknown>; imageUrl?: string; link?: string },
  context: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  for (const name of PAYLOAD_FIELDS)
    if (input[name] !== undefined && input.data && Object.hasOwn(input.data, name))
      context.addIssue({
        code: 'custom',
        path: ['data', name],
        message: `cannot be given together with ${name}, which has this name in the payload; use another name`,
      })
}

/** POST /api/push/send. Unknown fields are refused: with a misspelled `userId` somebody else would get the push. */
export const sendInput = z
  .strictObject({
    title: nonBlankText(MAX_TEXT).optional(),
    body: nonBlankText(MAX_TEXT).optional(),
    silent: z.boolean().optional(),
    data: extraData.optional(),
    userId: z.string().optional(),
    externalUserId: z
      .string()
      .meta({ description: 'Instead of `userId`: the `sub` of the user in the tokens of AUTH_JWT_ISSUER.' })
      .optional(),
    topic: topic.optional(),
    userIds: z
      .array(z.string())
      .min(1, 'must have 1 to 1000 ids')
      .max(MAX_USER_IDS, 'must have 1 to 1000 ids')
      .optional(),
    all: z.boolean().optional(),
    ...delivery,
    sendAt: z.iso
      .datetime({ offset: true, error: 'must be a time with offset, like 2026-12-24T18:00:00+01:00' })
      .meta({
        description:
          'Not before this time, up to 30 days ahead; up to 30 seconds ago counts as now. The audience is who is there then.',
      })
      .optional(),
    dryRun: z.boolean().optional(),
  })
  .superRefine((input, context) => {
    for (const field of input.silent ? VISIBLE_FIELDS : REQUIRED_FIELDS)
      if ((input[field] !== undefined) === (input.silent === true))
        context.addIssue({
          code: 'custom',
          path: [field],
          message: input.silent
            ? 'cannot be given together with silent, which shows nothing'
            : 'must not be missing (only a silent push has none)',
        })
    const [first, ...more] = TARGETS.filter((name) => input[name] !== undefined && input[name] !== false)
    for (const name of more)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `cannot be given together with ${first}: choose one target`,
      })
    rejectNamesInPayload(input, context)
  })
  .meta({
    allOf: [
      ...TARGETS.flatMap((one, i) =>
        TARGETS.slice(i + 1).map((other) => ({
          not: { required: [one, other], ...(other === 'all' && { properties: { all: { const: true } } }) },
        })),
      ),
      ...PAYLOAD_FIELDS.map((name) => ({
        not: { properties: { data: { type: 'object', required: [name] } }, required: ['data', name] },
      })),
      {
        anyOf: [
          { ...IS_SILENT, not: { anyOf: VISIBLE_FIELDS.map((field) => ({ required: [field] })) } },
          { not: IS_SILENT, required: REQUIRED_FIELDS },
        ],
      },
    ],
  })

export type SendInput = z.output<typeof sendInput>

/** messages.sendTest: what is shown, for the devices of the user who calls. */
export const sendTestInput = z
  .strictObject({
    title: nonBlankText(MAX_TEXT),
    body: nonBlankText(MAX_TEXT),
    data: extraData.optional(),
    ...delivery,
  })
  .superRefine(rejectNamesInPayload)

export type SendTestInput = z.output<typeof sendTestInput>

/** Twice what a gateway takes. */
const MAX_TEMPLATE_BYTES = 8192

/** templates.save: a push that may be unfinished. */
export const saveTemplateInput = z.strictObject({
  name: trimmedText(100),
  content: z
    .strictObject({
      title: text(0, MAX_TEXT).optional(),
      body: text(0, MAX_TEXT).optional(),
      silent: z.boolean().optional(),
      data: extraData.optional(),
      topic: topic.optional(),
      ...delivery,
    })
    .refine(
      (content) => Buffer.byteLength(JSON.stringify(content)) <= MAX_TEMPLATE_BYTES,
      `must have at most ${MAX_TEMPLATE_BYTES} bytes as JSON`,
    ),
})

export type SaveTemplateInput = z.output<typeof saveTemplateInput>

/** templates.remove */
export const removeTemplateInput = z.strictObject({ name: trimmedText(100) })

/** messages.markRead, messages.failures, messages.cancel. */
export const messageIdInput = z.strictObject({ messageId: z.string({ error: 'must be a string' }) })

/** What a push token may send to: its owner, any users that are named, everybody. */
export const SCOPES = ['self', 'users', 'broadcast'] as const

export type Scope = (typeof SCOPES)[number]

/** POST /api/push/token. */
export const createTokenInput = z
  .strictObject({
    userId: z.string().optional(),
    externalUserId: z
      .string()
      .meta({ description: 'Instead of `userId`: the `sub` of the user in the tokens of AUTH_JWT_ISSUER.' })
      .optional(),
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
  .superRefine(({ userId, externalUserId, allowBroadcast, scopes }, context) => {
    if (userId === undefined && externalUserId === undefined)
      context.addIssue({ code: 'custom', path: ['userId'], message: 'is missing: give it or externalUserId' })
    if (userId !== undefined && externalUserId !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['externalUserId'],
        message: 'cannot be given together with userId: choose one',
      })
    if (allowBroadcast !== undefined && scopes && scopes.includes('broadcast') !== allowBroadcast)
      context.addIssue({
        code: 'custom',
        path: ['scopes'],
        message: 'contradicts allowBroadcast: give one of the two',
      })
  })
  .meta({
    oneOf: [{ required: ['userId'] }, { required: ['externalUserId'] }],
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
const locale = z
  .string({ error: 'must be a string' })
  .max(MAX_LOCALE_LENGTH, `must have at most ${MAX_LOCALE_LENGTH} characters`)
  .refine((tag) => canonicalLocale(tag) !== null, 'must be a language tag (BCP 47), like de or pt-BR')
  .transform((tag) => canonicalLocale(tag)!)
  .optional()

/** devices.register. */
export const registerDeviceInput = z.discriminatedUnion('platform', [
  z.strictObject({
    platform: z.literal('ios'),
    token: z
      .string()
      .regex(/^[0-9a-fA-F]{64,200}$/, 'must be 64 to 200 hex digits')
      .transform((token) => token.toLowerCase()),
    name: deviceName,
    locale,
    environment,
  }),
  z.strictObject({
    platform: z.literal('android'),
    token: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 printable characters without spaces'),
    name: deviceName,
    locale,
    environment,
  }),
  z.strictObject({ platform: z.literal('web'), subscription: webSubscription, name: deviceName, locale }),
])

export type RegisterDeviceInput = z.output<typeof registerDeviceInput>

/** devices.unregister: a token of any platform; of web the endpoint. */
export const unregisterDeviceInput = z.strictObject({ token: z.string().min(1).max(4096) })

/** devices.remove: devices.list shows a device's id, but only the end of its token. */
export const removeDeviceInput = z.strictObject({ deviceId: z.string({ error: 'must be a string' }) })

/** topics.subscribe, topics.unsubscribe. */
export const topicInput = z.strictObject({ topic })

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

export const platform = z.enum(['ios', 'android', 'web'])

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

/** GET /api/admin/push-tokens. */
export const listAllTokensOutput = z.object({
  items: z.array(
    listTokensOutput.shape.items.element.extend({
      scopes: z.array(z.enum(SCOPES)),
      user: z.object({ email: z.string().nullable(), name: z.string().nullable() }),
    }),
  ),
  nextCursor: z.string().nullable(),
})

/** The answer to POST /api/push/send and GET /api/push/messages/{id}. */
export const messageOutput = z.object({
  id: z.string(),
  status: z.enum(['scheduled', 'queued', 'sending', 'completed', 'cancelled', 'dry-run']),
  audience: z.object({ ios: z.number(), android: z.number(), web: z.number() }),
  sent: z.number(),
  failed: z.number(),
  removed: z.number(),
  failures: z.array(z.object({ deviceId: z.string(), platform, reason: z.string() })).max(20),
  /** Only of a push with `sendAt`. */
  sendAt: time.optional(),
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

/** GET /api/admin/push-tokens: the query. */
export const listAllTokensInput = z.strictObject({ userId: z.string().optional(), ...pageInput.shape })

export type ListAllTokensInput = z.output<typeof listAllTokensInput>

const nextCursor = z.string().nullable()

/** GET /api/push/messages. */
export const messagesOutput = z.object({
  /** `title` of a silent push is null. */
  items: z.array(messageOutput.extend({ title: z.string().nullable(), createdAt: time })),
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

/** GET /api/admin/broadcasts. */
export const broadcastsOutput = z.object({
  items: z.array(
    messageOutput.omit({ unknownUserIds: true }).extend({
      /** Null: a silent one. */
      title: z.string().nullable(),
      category: z.string(),
      createdAt: time,
      completedAt: time.nullable(),
      /** To everybody, and not to the users of a list or topic. */
      toAll: z.boolean(),
      /** Devices that it may still go to: at most so many. */
      remaining: z.number(),
      /** Null: deleted with its owner. */
      pushToken: z.object({ id: z.string(), name: z.string(), userId: z.string() }).nullable(),
    }),
  ),
  nextCursor,
})
