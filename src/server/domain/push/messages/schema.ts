import { z } from 'zod'
import { cursorInput, pageOf } from '../../../kernel/page.ts'
import { nonBlankText, text, trimmedText } from '../../../kernel/text.ts'
import { hasFields, jsonTime, whole } from '../../../kernel/validation.ts'
import { appName } from '../devices/app-name.ts'
import { platform } from '../devices/schema.ts'
import { topic } from '../topics/schema.ts'
import { externalUserId } from './external-user.ts'
import { extraData } from './extra-data.ts'
import { MAX_TEXT, overlays, visibleOptions } from './message-options.ts'

/** 28 days: FCM's limit. APNs has none. */
const MAX_TTL_SECONDS = 2_419_200
export const DEFAULT_CATEGORY = 'general'

export const category = trimmedText(100)

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

/** A larger audience needs a topic or a broadcast. */
const MAX_USER_IDS = 1000

const IS_SILENT = { properties: { silent: { const: true } }, required: ['silent'] }
const REQUIRED_FIELDS = ['title', 'body'] as const
const VISIBLE_FIELDS = [
  ...REQUIRED_FIELDS,
  ...(Object.keys(visibleOptions) as (keyof typeof visibleOptions)[]),
]
/** Target fields. A push has at most one; default: the token's owner. */
const TARGETS = ['userId', 'externalUserId', 'userIds', 'topic', 'all'] as const
/** Fields that the payload holds next to the entries of `data`. */
const PAYLOAD_FIELDS = ['imageUrl', 'link'] as const

/** As many as PUSH_APPS_FILE can name, and `default`. */
const MAX_APPS = 51

/** Options for the look, sound and delivery of a push. */
const pushOptions = {
  /** Sends only to devices of these apps. Default: all apps. */
  apps: z
    .array(appName, { error: 'must be a list of apps' })
    .min(1, `must have 1 to ${MAX_APPS} apps`)
    .max(MAX_APPS, `must have 1 to ${MAX_APPS} apps`)
    .optional(),
  category: category.optional(),
  collapseId: collapseId.optional(),
  ttlSeconds: whole(0, MAX_TTL_SECONDS).optional(),
  priority: z.enum(['high', 'normal']).optional(),
  ...visibleOptions,
  ...overlays,
}

export type PushOptions = z.output<z.ZodObject<typeof pushOptions>>

const reject = (context: Pick<z.RefinementCtx, 'addIssue'>, path: string[], message: string) =>
  context.addIssue({ code: 'custom', path, message })

/** Rejects entries of `data` that would overwrite `imageUrl` or `link` in the payload. */
function rejectNamesInPayload(
  input: { data?: Record<string, unknown>; imageUrl?: string; link?: string },
  context: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  for (const name of PAYLOAD_FIELDS)
    if (input[name] !== undefined && input.data && Object.hasOwn(input.data, name))
      reject(context, ['data', name], `has the same name in the payload as ${name}; use another name`)
}

/** Body of POST /api/push/send. Rejects unknown fields: with a misspelled `userId`, another user would get the push. */
export const sendInput = z
  .strictObject({
    title: nonBlankText(MAX_TEXT).optional(),
    body: nonBlankText(MAX_TEXT).optional(),
    /** Wakes the app without showing anything. */
    silent: z.boolean().optional(),
    data: extraData.optional(),
    userId: z.string().optional(),
    externalUserId: externalUserId.optional(),
    topic: topic.optional(),
    userIds: z
      .array(z.string())
      .min(1, `must have 1 to ${MAX_USER_IDS} IDs`)
      .max(MAX_USER_IDS, `must have 1 to ${MAX_USER_IDS} IDs`)
      .optional(),
    all: z.boolean().optional(),
    ...pushOptions,
    sendAt: z.iso
      .datetime({ offset: true, error: 'must be a time with offset, like 2026-12-24T18:00:00+01:00' })
      .meta({
        description:
          'When to send, at most 30 days ahead. A time up to 30 seconds ago counts as now. The audience is determined at that time.',
      })
      .optional(),
    dryRun: z.boolean().optional(),
  })
  .superRefine((input, context) => {
    for (const field of input.silent ? VISIBLE_FIELDS : REQUIRED_FIELDS)
      if ((input[field] !== undefined) === (input.silent === true))
        reject(
          context,
          [field],
          input.silent
            ? 'must be omitted, because a silent push shows nothing'
            : 'is missing; only a silent push can omit it',
        )
    const [first, ...more] = TARGETS.filter((name) => input[name] !== undefined && input[name] !== false)
    for (const name of more) reject(context, [name], `cannot be combined with ${first}: choose one target`)
    rejectNamesInPayload(input, context)
  })
  .meta({
    allOf: [
      ...TARGETS.flatMap((one, i) =>
        TARGETS.slice(i + 1).map((other) => ({
          not: {
            properties: { [one]: {}, [other]: other === 'all' ? { const: true } : {} },
            required: [one, other],
          },
        })),
      ),
      ...PAYLOAD_FIELDS.map((name) => ({
        not: {
          properties: { [name]: {}, data: { type: 'object', ...hasFields(name) } },
          required: ['data', name],
        },
      })),
      {
        anyOf: [
          { ...IS_SILENT, not: { anyOf: VISIBLE_FIELDS.map((field) => hasFields(field)) } },
          { not: IS_SILENT, required: REQUIRED_FIELDS },
        ],
      },
    ],
  })
  .meta({
    examples: [
      {
        title: 'Build finished',
        body: 'All 412 tests passed',
        data: { buildId: '9001' },
        userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
      },
    ],
  })

export type SendInput = z.output<typeof sendInput>

/** Input of messages.sendTest. */
export const sendTestInput = z
  .strictObject({
    title: nonBlankText(MAX_TEXT),
    body: nonBlankText(MAX_TEXT),
    data: extraData.optional(),
    ...pushOptions,
  })
  .superRefine(rejectNamesInPayload)

export type SendTestInput = z.output<typeof sendTestInput>

/** Twice the gateways' limit. */
const MAX_TEMPLATE_BYTES = 8192

/** Input of templates.save: a push that can be unfinished. */
export const saveTemplateInput = z.strictObject({
  name: trimmedText(100),
  content: z
    .strictObject({
      title: text(0, MAX_TEXT).optional(),
      body: text(0, MAX_TEXT).optional(),
      silent: z.boolean().optional(),
      data: extraData.optional(),
      topic: topic.optional(),
      ...pushOptions,
    })
    .refine(
      (content) => Buffer.byteLength(JSON.stringify(content)) <= MAX_TEMPLATE_BYTES,
      `must have at most ${MAX_TEMPLATE_BYTES} bytes as JSON`,
    ),
})

export type SaveTemplateInput = z.output<typeof saveTemplateInput>

/** Input of templates.remove. */
export const removeTemplateInput = z.strictObject({ name: trimmedText(100) })

/** Input of messages.markRead, messages.failures, messages.timeline and messages.cancel. */
export const messageIdInput = z.strictObject({ messageId: z.string({ error: 'must be a string' }) })

const listMessagesInput = z.strictObject({
  ...cursorInput,
  limit: whole(1, 100).default(50),
})

/** Statuses of sent messages to filter by. `sending` includes queued messages, and `failed` has failed devices. */
const SENT_STATUSES = ['scheduled', 'sending', 'completed', 'failed', 'cancelled'] as const

/** Input of messages.sent. */
export const listSentInput = listMessagesInput.extend({
  status: z.enum(SENT_STATUSES).optional(),
  /** Part of the title, in any case. */
  query: text(0, 100).optional(),
})

export type ListSentInput = z.output<typeof listSentInput>

/** Input of messages.list. */
export const listInboxInput = listMessagesInput.extend({ category: category.optional() })

export const SENT_EXAMPLE = {
  id: '019aa6f2-3d4e-7f50-a162-7c8d9e0f1a2b',
  status: 'completed',
  audience: { ios: 1, android: 1, web: 0 },
  sent: 2,
  failed: 0,
  removed: 0,
  failures: [],
}

/** Number of devices by platform. */
export const audience = z
  .object({ ios: z.number(), android: z.number(), web: z.number() })
  .meta({ id: 'Audience' })

const failure = z.object({ deviceId: z.string(), platform, reason: z.string() }).meta({ id: 'DeviceFailure' })

/** Response of POST /api/push/send and GET /api/push/messages/{id}. */
export const messageOutput = z
  .object({
    id: z.string(),
    status: z.enum(['scheduled', 'queued', 'sending', 'completed', 'cancelled', 'dry-run']),
    audience,
    sent: z.number(),
    failed: z.number(),
    removed: z.number(),
    failures: z.array(failure).max(20),
    /** Only for a push with `sendAt`. */
    sendAt: z.iso.datetime().optional(),
    /** Entries of `userIds` that belong to no user; only in the response to the send. */
    unknownUserIds: z.array(z.string()).optional(),
  })
  .meta({
    id: 'Message',
    examples: [
      SENT_EXAMPLE,
      { ...SENT_EXAMPLE, status: 'queued', audience: { ios: 0, android: 0, web: 0 }, sent: 0 },
    ],
  })

export type MessageView = z.output<typeof messageOutput>

/** The `title` of a silent push is null. */
const sentItem = messageOutput.extend({ title: z.string().nullable(), createdAt: jsonTime }).meta({
  id: 'SentMessage',
  examples: [{ ...SENT_EXAMPLE, title: 'Build finished', createdAt: '2026-11-21T12:00:00.000Z' }],
})

export type SentItem = z.input<typeof sentItem>

/** Response of GET /api/push/messages. */
export const messagesOutput = pageOf(sentItem)

const FAILURE_EXAMPLE = {
  deviceId: '019aa6f5-6071-7283-9495-afb0c1d2e3f4',
  userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
  platform: 'ios' as const,
  reason: 'TopicDisallowed',
  at: '2026-11-21T12:00:00.000Z',
}

const failureItem = z
  .object({
    deviceId: z.string(),
    userId: z.string().nullable(),
    platform,
    reason: z.string(),
    at: jsonTime,
  })
  .meta({
    id: 'MessageFailure',
    examples: [FAILURE_EXAMPLE],
  })

const adminFailureItem = failureItem
  .extend({
    /** Null if the user has been deleted, or the device had been removed. */
    user: z.object({ email: z.string().nullable(), name: z.string().nullable() }).nullable(),
  })
  .meta({
    id: 'AdminMessageFailure',
    examples: [{ ...FAILURE_EXAMPLE, user: { email: 'ada@example.com', name: 'Ada' } }],
  })

export type AdminFailureItem = z.input<typeof adminFailureItem>

/** Number of failed devices with one reason. */
export const failureCount = z.object({ platform, reason: z.string(), count: z.number() })

export type FailureCount = z.input<typeof failureCount>

/** Maximum number of reasons in a list. Gateways have about twenty each. */
export const MAX_REASONS = 100

/** Response of GET /api/admin/broadcasts/{id}/failures. */
export const adminFailuresOutput = pageOf(adminFailureItem)

/** Response of GET /api/push/messages/{id}/failures. */
export const failuresOutput = pageOf(failureItem)
