import { z } from 'zod'
import { searchText, trimmedText } from '../text.ts'
import { emailSchema, newPasswordSchema } from './schema.ts'

const quotaBytes = z
  .number()
  .refine(
    (n) => Number.isSafeInteger(n) && n >= 0,
    `must be a whole number of bytes from 0 to ${Number.MAX_SAFE_INTEGER}`,
  )
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const email = emailSchema.meta({ type: 'string', format: 'email', maxLength: 254 })
const password = newPasswordSchema.meta({ minLength: 12, maxLength: 128 })
const name = trimmedText(100)
const externalId = trimmedText(255).meta({ description: "The `sub` of the external issuer's tokens." })

/** GET /api/admin/users: the query. */
export const listUsersInput = z.strictObject({
  email: searchText(254).optional(),
  externalId: searchText(255).optional(),
  query: searchText(254).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

/** POST /api/admin/users. */
export const createUserInput = z
  .strictObject({
    email: email.optional(),
    password: password.optional(),
    externalId: externalId.optional(),
    name: name.optional(),
    quotaBytes: quotaBytes.nullable().optional(),
    role: z.enum(['user', 'admin']).optional(),
    invite: z.literal(true, { error: 'must be true, or left out' }).optional().meta({
      description: 'Mails a link with which the user sets a password. Needs SMTP_URL.',
    }),
  })
  .refine((input) => input.email !== undefined || input.externalId !== undefined, {
    path: ['email'],
    error: 'is missing: give an email, an externalId, or both',
  })
  .refine((input) => input.password === undefined || input.email !== undefined, {
    path: ['password'],
    error: 'needs an email to sign in with',
  })
  .refine((input) => !input.invite || (input.email !== undefined && input.password === undefined), {
    path: ['invite'],
    error: 'needs an email, and no password: the user chooses one',
  })
  .meta({
    anyOf: [{ required: ['email'] }, { required: ['externalId'] }],
    dependentRequired: { password: ['email'], invite: ['email'] },
    not: { required: ['password', 'invite'] },
  })

/** PATCH /api/admin/users/{id}. */
export const updateUserInput = z
  .strictObject({
    name: name.nullable().optional(),
    quotaBytes: quotaBytes.nullable().optional(),
    disabled: z.boolean().optional(),
    password: password.optional(),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'must change something')
  .meta({ minProperties: 1 })

const time = z.iso.datetime()

export const managedUserOutput = z.object({
  id: z.string(),
  /** Of the external issuer's tokens, if the user does not sign in here. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  externalId: z.string().nullable(),
  role: z.enum(['user', 'admin']),
  createdAt: time,
  lastSeenAt: time.nullable(),
  disabled: z.boolean(),
  /** Null: DEFAULT_STORAGE_QUOTA_BYTES. */
  quotaBytes: z.number().nullable(),
  usedBytes: z.number(),
  reservedBytes: z.number(),
  /** Ready ones. */
  files: z.number(),
  devices: z.number(),
})

export const listUsersOutput = z.object({
  items: z.array(managedUserOutput),
  nextCursor: z.string().nullable(),
})

export const deletedUserOutput = z.object({ id: z.string() })

export type ListUsersInput = z.output<typeof listUsersInput>
export type CreateUserInput = z.output<typeof createUserInput>
export type UpdateUserInput = z.output<typeof updateUserInput>
