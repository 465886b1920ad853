import { z } from 'zod'
import { isStorable } from '../text.ts'
import { isoTime, withoutDirectionOverrides } from '../validation.ts'

const MAX_EMAIL_LENGTH = 254
const MIN_PASSWORD_LENGTH = 12
const MAX_PASSWORD_LENGTH = 128

/** A dot-atom (RFC 5322, 3.2.3), with the letters of all scripts (RFC 6531): no quotes, comments or addresses in brackets. */
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const EMAIL = new RegExp(`^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'u')

/** Some letters and marks of Unicode show nothing. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

/**
 * Characters that Unicode's normalisation or lower-casing turns into ASCII, like the Kelvin sign into `k`: an email
 * with one is another mailbox than the email without (tests/unit/auth-email.test.ts finds all of them).
 */
const FOLDS_INTO_ASCII = /([\u0130\u037e\u1fef\u212a])/u

/** Emails are compared trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  const pieces = email.trim().split(FOLDS_INTO_ASCII)
  return pieces
    .map((piece) => (FOLDS_INTO_ASCII.test(piece) ? piece : piece.normalize('NFC').toLowerCase()))
    .join('')
}

/**
 * Whether it has the form of a mailbox that people have, and looks like no other: with full width, invisible or
 * composed characters two emails could look alike. Says nothing about whether mail arrives. For new accounts; who has
 * an account signs in with whatever email it has.
 */
export function isEmail(normalized: string): boolean {
  return (
    normalized.length <= MAX_EMAIL_LENGTH &&
    EMAIL.test(normalized) &&
    !INVISIBLE.test(normalized) &&
    normalized.normalize('NFKC') === normalized
  )
}

/** An email as it is stored. */
export const emailSchema = z
  .string()
  .transform(normalizeEmail)
  .refine(isEmail, `must be an email address of at most ${MAX_EMAIL_LENGTH} characters, like ada@example.com`)

/** PostgreSQL refuses them, and hashing folds each of them into U+FFFD, which would make different passwords alike. */
const wellFormed = z.string().refine((v) => v.isWellFormed(), 'must not have unpaired surrogates')

/** A new password. Counts code points, not UTF-16 units. Twelve spaces are twelve characters, but no password. */
export const newPasswordSchema = wellFormed.refine((v) => {
  const length = [...v].length
  return length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH && v.trim() !== ''
}, `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, not only spaces`)

/** A password to check. Not validated against the rules for new ones: a wrong one is simply wrong. */
const givenPassword = wellFormed.min(1, 'must not be empty').max(1024, 'must have at most 1024 characters')

export const signInInput = z.strictObject({
  email: z.string().min(1, 'must not be empty').max(1024, 'is too long').transform(normalizeEmail),
  password: givenPassword,
})

const displayName = wellFormed
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

/** Longer ones are none of ours, which have 43 characters. */
const emailToken = z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters')

/** Of an account that may be older than the rules for new ones. The mail server refuses what it cannot send to. */
const knownEmail = z
  .string()
  .max(MAX_EMAIL_LENGTH, `must have at most ${MAX_EMAIL_LENGTH} characters`)
  .transform(normalizeEmail)
  .refine(
    (email) => isStorable(email) && /^[^\s@]+@[^\s@]+$/.test(email),
    'must be an email address, like ada@example.com',
  )

export const passwordResetRequestInput = z.strictObject({ email: knownEmail })

export const verifyEmailInput = z.strictObject({ token: emailToken })

export const verifyEmailOutput = z.object({
  success: z.literal(true),
  email: z.string(),
  /** For `account.resetPassword`, where the account has lost its password; null: it is as it was. */
  resetToken: z.string().nullable(),
})

export const resetPasswordInput = z.strictObject({ token: emailToken, password: newPasswordSchema })

export const resetPasswordOutput = z.object({ success: z.literal(true), email: z.string() })

/** What a client gets when it signs in. */
export const sessionOutput = z.object({
  token: z.string(),
  expiresAt: z.string(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
})

export const sessionsOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      createdAt: isoTime,
      lastSeenAt: isoTime,
      /** By its User-Agent, like `Firefox on Linux`; null if it sent none. */
      client: z.string().nullable(),
      /** The session of this very call. */
      current: z.boolean(),
    }),
  ),
})

export const revokeSessionInput = z.strictObject({ id: z.string() })

/** What an API key may do; on procedures and on /files/*, nowhere else. */
export const API_KEY_SCOPES = ['uploads:write', 'files:read', 'files:delete'] as const

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

const DEFAULT_KEY_DAYS = 365
const MAX_KEY_DAYS = 3650

export const createApiKeyInput = z.strictObject({
  name: z
    .string()
    .transform((name) => withoutDirectionOverrides(name).trim())
    .pipe(displayName),
  expiresInDays: z
    .int(`must be a whole number from 1 to ${MAX_KEY_DAYS}`)
    .min(1, `must be a whole number from 1 to ${MAX_KEY_DAYS}`)
    .max(MAX_KEY_DAYS, `must be a whole number from 1 to ${MAX_KEY_DAYS}`)
    .default(DEFAULT_KEY_DAYS),
  scopes: z
    .array(z.enum(API_KEY_SCOPES, `must be one of ${API_KEY_SCOPES.join(', ')}`))
    .min(1, 'must name at least one scope')
    .refine((list) => new Set(list).size === list.length, 'must not name a scope twice'),
})

export type CreateApiKeyInput = z.output<typeof createApiKeyInput>

/** `token`: the raw key. */
export const createApiKeyOutput = z.object({ id: z.string(), token: z.string(), expiresAt: isoTime })

export const apiKeysOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      createdAt: isoTime,
      expiresAt: isoTime,
      lastUsedAt: isoTime.nullable(),
    }),
  ),
})

export const revokeApiKeyInput = z.strictObject({ id: z.string() })
