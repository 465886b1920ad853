import { z } from 'zod'
import { withoutDirectionOverrides } from '../validation.ts'

const MAX_EMAIL_LENGTH = 254
const MIN_PASSWORD_LENGTH = 12
const MAX_PASSWORD_LENGTH = 128

/** Printable, text on both sides of one @, no empty label in the domain. Says nothing about whether mail arrives. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)*$/u

/** Emails are compared trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

export function isEmail(normalized: string): boolean {
  return normalized.length <= MAX_EMAIL_LENGTH && EMAIL.test(normalized)
}

/** An email as it is stored. */
export const emailSchema = z
  .string()
  .transform(normalizeEmail)
  .refine(isEmail, `must be an email address of at most ${MAX_EMAIL_LENGTH} characters, like ada@example.com`)

/** A new password. Counts code points, not UTF-16 units. */
export const newPasswordSchema = z.string().refine((v) => {
  const length = [...v].length
  return length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH
}, `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)

/** A password to check. Not validated against the rules for new ones: a wrong one is simply wrong. */
const givenPassword = z.string().min(1, 'must not be empty').max(1024, 'must have at most 1024 characters')

export const signInInput = z.strictObject({
  email: z.string().min(1, 'must not be empty').max(1024, 'is too long').transform(normalizeEmail),
  password: givenPassword,
})

const displayName = z
  .string()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .regex(/^\P{Cc}*$/u, 'must not have control characters')

export const signUpInput = z.strictObject({
  email: emailSchema,
  password: newPasswordSchema,
  name: z
    .string()
    .transform((name) => withoutDirectionOverrides(name).trim())
    .pipe(displayName)
    .optional(),
})

export const changePasswordInput = z.strictObject({
  /** Not required of a user without a password who has just signed in with a provider. */
  currentPassword: givenPassword.optional(),
  newPassword: newPasswordSchema,
})

/** A user without a password must have just signed in with a provider instead. */
export const deleteAccountInput = z.strictObject({ password: givenPassword.optional() })

/** What a client gets when it signs in. */
export const sessionOutput = z.object({
  token: z.string(),
  expiresAt: z.string(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
})

const time = z.date().transform((date) => date.toISOString())

export const sessionsOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      createdAt: time,
      lastSeenAt: time,
      /** By its User-Agent, like `Firefox on Linux`; null if it sent none. */
      client: z.string().nullable(),
      /** The session of this very call. */
      current: z.boolean(),
    }),
  ),
})

export const revokeSessionInput = z.strictObject({ id: z.string() })
