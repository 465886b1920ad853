import { z } from 'zod'
import { flatData } from '../../kernel/flat-data.ts'
import { trimmedText } from '../../kernel/text.ts'
import { jsonTime, scopesIn, whole } from '../../kernel/validation.ts'
import { USER_TOKEN_SCOPES } from './schema.ts'

/** For the `sub` of an issuer's tokens, too. */
const externalId = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must have 1 to 255 characters, without control characters')
  .meta({ minLength: 1, maxLength: 255 })

const upload = z
  .strictObject({
    policy: z.string().optional(),
    data: flatData.optional(),
    maxFiles: whole(1, 1_000_000).optional(),
    maxBytes: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  })
  .meta({
    description: 'Policy and data of each upload with this token, and combined limits for all of them.',
  })

/** Body of POST /api/admin/user-tokens. */
export const createUserTokenInput = z
  .strictObject({
    userId: z.string().optional(),
    externalId: externalId.optional(),
    ttlSeconds: whole(60, 3600).default(900),
    scopes: scopesIn(USER_TOKEN_SCOPES).default([...USER_TOKEN_SCOPES]),
    upload: upload.optional(),
    email: z.email('must be an email address').max(254, 'must have at most 254 characters').optional(),
    name: trimmedText(100).optional(),
  })
  .superRefine(({ userId, externalId, email, name }, context) => {
    const reject = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (userId === undefined && externalId === undefined)
      reject('userId', 'is missing: set userId or externalId')
    if (userId === undefined) return
    if (externalId !== undefined) reject('externalId', 'cannot be combined with userId: choose one')
    for (const [field, value] of Object.entries({ email, name }))
      if (value !== undefined) reject(field, 'needs externalId: it is displayed for users of your app')
  })
  .meta({
    oneOf: [{ required: ['userId'] }, { required: ['externalId'] }],
    dependentRequired: { email: ['externalId'], name: ['externalId'] },
    examples: [{ externalId: 'customer-4711', name: 'Ada', upload: { policy: 'avatar', maxFiles: 3 } }],
  })

export type CreateUserTokenInput = z.output<typeof createUserTokenInput>

/** Response of POST /api/admin/user-tokens. */
export const createUserTokenOutput = z
  .object({ token: z.string(), expiresAt: jsonTime, userId: z.string() })
  .meta({
    id: 'UserToken',
    examples: [
      {
        token: 'ut_eyJleGFtcGxlIjp0cnVlfQ.not-a-valid-signature',
        expiresAt: '2026-11-21T12:15:00.000Z',
        userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
      },
    ],
  })
