import { z } from 'zod'
import { isoTime } from '../validation.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 365
const daysError = { error: `must be a whole number from 1 to ${MAX_DAYS}` }

/** Six digits last for years of guessing at what the limits leave: 960 wrong passwords a day and link. */
const MIN_PASSWORD_LENGTH = 6
const MAX_PASSWORD_LENGTH = 128

/** Counts code points, not UTF-16 units. Hashing folds unpaired surrogates into U+FFFD, so that any of them would do. */
const newPassword = z
  .string({ error: 'must be a string' })
  .refine((v) => v.isWellFormed(), 'must not have unpaired surrogates')
  .refine((password) => {
    const length = [...password].length
    return length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH && password.trim() !== ''
  }, `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, not only spaces`)

/** Any string: an id that is not one of the caller's is NOT_FOUND, not a validation error. */
const id = z.string({ error: 'must be a string' })

export const createShareInput = z.strictObject({
  fileId: id,
  expiresInDays: z.int(daysError).min(1, daysError).max(MAX_DAYS, daysError).default(DEFAULT_DAYS),
  password: newPassword.optional(),
})

export type CreateShareInput = z.output<typeof createShareInput>

export const createShareOutput = z.object({ id: z.string(), url: z.string(), expiresAt: isoTime })

export const listSharesInput = z.strictObject({ fileId: id.optional() })

export const sharesOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      fileId: z.string(),
      filename: z.string(),
      /** Null: NEXTAUTH_SECRET was changed since. The link works, but cannot be shown again. */
      url: z.string().nullable(),
      createdAt: isoTime,
      expiresAt: isoTime,
      downloads: z.number(),
      hasPassword: z.boolean(),
    }),
  ),
})

export const revokeShareInput = z.strictObject({ id })
