import { z } from 'zod'
import { pageInput, pageOf } from '../../../kernel/page.ts'
import { trimmedText } from '../../../kernel/text.ts'
import { jsonTime, scopesIn, whole } from '../../../kernel/validation.ts'
import { externalUserId } from '../messages/external-user.ts'

/** Targets that a push token can send to: its owner, any users, topics and everyone. */
export const SCOPES = ['self', 'users', 'broadcast'] as const

export type Scope = (typeof SCOPES)[number]

/** Body of POST /api/push/token. */
export const createTokenInput = z
  .strictObject({
    userId: z.string().optional(),
    externalUserId: externalUserId.optional(),
    name: trimmedText(100),
    expiresInDays: whole(1, 3650).default(365),
    allowBroadcast: z.boolean().optional(),
    scopes: scopesIn(SCOPES)
      .meta({
        description:
          '`self`: the owner; `users`: any user, with `userId` or `userIds`; `broadcast`: everyone. Default: all, without `broadcast` if `allowBroadcast` is false.',
      })
      .optional(),
  })
  .superRefine(({ userId, externalUserId, allowBroadcast, scopes }, context) => {
    const reject = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (userId === undefined && externalUserId === undefined)
      reject('userId', 'is missing: set userId or externalUserId')
    if (userId !== undefined && externalUserId !== undefined)
      reject('externalUserId', 'cannot be combined with userId: choose one')
    if (allowBroadcast !== undefined && scopes && scopes.includes('broadcast') !== allowBroadcast)
      reject('scopes', 'contradicts allowBroadcast: set only one of them')
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
  .meta({
    examples: [{ userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f', name: 'nightly build', expiresInDays: 30 }],
  })

export type CreateTokenInput = z.output<typeof createTokenInput>

/** Response of POST /api/push/token, the only one with the raw token. */
export const createTokenOutput = z
  .object({ token: z.string(), expiresAt: z.iso.datetime(), id: z.string() })
  .meta({
    id: 'CreatedPushToken',
    examples: [
      {
        token: 'ph_-----------an-example-not-a-token-----------',
        expiresAt: '2026-12-21T12:00:00.000Z',
        id: '019aa6f1-2c3d-7e4f-9051-6b7c8d9e0f1a',
      },
    ],
  })

const pushToken = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  allowBroadcast: z.boolean(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: jsonTime,
  expiresAt: jsonTime,
  lastUsedAt: jsonTime.nullable(),
  revokedAt: jsonTime.nullable(),
})

/** `suffix`: last four characters of the raw token; null for tokens that releases up to 0.1.0 created. */
export type PushTokenView = z.input<typeof pushToken> & { suffix: string | null }

const EXAMPLE = {
  id: '019aa6f1-2c3d-7e4f-9051-6b7c8d9e0f1a',
  name: 'nightly build',
  userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
  allowBroadcast: true,
  scopes: [...SCOPES],
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2026-12-21T12:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
}

/** Response of GET /api/push/token. */
export const listTokensOutput = z.object({
  items: z.array(pushToken.meta({ id: 'PushToken', examples: [EXAMPLE] })),
})

const adminPushToken = pushToken
  .extend({
    /** Last four characters of the raw token. Null for tokens that releases up to 0.1.0 created. */
    suffix: z.string().nullable(),
    user: z.object({ email: z.string().nullable(), name: z.string().nullable() }),
  })
  .meta({
    id: 'OwnedPushToken',
    examples: [{ ...EXAMPLE, suffix: 'x4Rk', user: { email: 'ada@example.com', name: 'Ada' } }],
  })

/** Push token as shown to administrators, with its owner. */
export type AdminPushToken = z.input<typeof adminPushToken>

/** Response of GET /api/admin/push-tokens. */
export const listAllTokensOutput = pageOf(adminPushToken)

/** Query of GET /api/admin/push-tokens. */
export const listAllTokensInput = z.strictObject({
  userId: z.string().optional(),
  status: z.enum(['active', 'expired', 'revoked']).optional(),
  ...pageInput.shape,
})

export type ListAllTokensInput = z.output<typeof listAllTokensInput>
