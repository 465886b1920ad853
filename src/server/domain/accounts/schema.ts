import { z } from 'zod'
import { isStorable, newPassword, wellFormedText } from '../../kernel/text.ts'
import { isoTime, whole, withoutDirectionOverrides } from '../../kernel/validation.ts'

export const MAX_EMAIL_LENGTH = 254

/** Dot-atom (RFC 5322, 3.2.3) with letters of all scripts (RFC 6531): no quotes, comments or bracketed addresses. */
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const EMAIL = new RegExp(`^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'u')

/** Some of Unicode's letters and marks are invisible. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

/**
 * Characters that Unicode normalization or lowercasing turns into ASCII, such as the Kelvin sign into `k`. An email
 * that contains one is a different mailbox from the ASCII email. tests/unit/auth-email.test.ts finds all of them.
 */
const FOLDS_INTO_ASCII = /([\u0130\u037e\u1fef\u212a])/u

/** Returns the form in which emails are compared: trimmed and lowercase. */
export function normalizeEmail(email: string): string {
  const pieces = email.trim().split(FOLDS_INTO_ASCII)
  return pieces
    .map((piece) => (FOLDS_INTO_ASCII.test(piece) ? piece : piece.normalize('NFC').toLowerCase()))
    .join('')
}

/**
 * Returns true for the usual form of a mailbox that no other email resembles: full-width, invisible and composed
 * characters could make two emails look alike. Does not tell whether email arrives. Applies to new accounts only.
 */
export function isEmail(normalized: string): boolean {
  return (
    normalized.length <= MAX_EMAIL_LENGTH &&
    EMAIL.test(normalized) &&
    !INVISIBLE.test(normalized) &&
    normalized.normalize('NFKC') === normalized
  )
}

/** Returns a provider's name for the user in a form that is safe to show, or null if nothing is left. */
export function displayName(stated: string): string | null {
  const clean = withoutDirectionOverrides(stated)
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
  return [...clean].slice(0, 100).join('') || null
}

/** Email in its stored form. */
export const emailSchema = z
  .string()
  .transform(normalizeEmail)
  .refine(isEmail, `must be an email address of at most ${MAX_EMAIL_LENGTH} characters, like ada@example.com`)

export const newPasswordSchema = newPassword(12, 128)

/** Password to check. The rules for new ones do not apply: a wrong password is simply wrong. */
const givenPassword = wellFormedText
  .min(1, 'must not be empty')
  .max(1024, 'must have at most 1024 characters')

export const signInInput = z.strictObject({
  email: z.string().min(1, 'must not be empty').max(1024, 'is too long').transform(normalizeEmail),
  password: givenPassword,
})

const name = z
  .string()
  .transform((text) => withoutDirectionOverrides(text).trim())
  .pipe(
    wellFormedText
      .min(1, 'must not be empty')
      .max(100, 'must have at most 100 characters')
      .regex(/^\P{Cc}*$/u, 'must not have control characters'),
  )

export const signUpInput = z.strictObject({
  email: emailSchema,
  password: newPasswordSchema,
  name: name.optional(),
})

/** Null removes the name. */
export const renameInput = z.strictObject({ name: name.nullable() })

export const changePasswordInput = z.strictObject({
  /** Can be omitted by a user without a password who has just signed in with a provider. */
  currentPassword: givenPassword.optional(),
  newPassword: newPasswordSchema,
})

/** Sign-in providers that the configuration can name. */
export const PROVIDER_IDS = ['github', 'google', 'oidc'] as const

export const signInMethodsOutput = z.object({
  /** True if the account has a password. */
  password: z.boolean(),
  /** Configured providers that the account is linked to. */
  providers: z.array(z.enum(PROVIDER_IDS)),
  /** True if the user has a passkey. */
  passkey: z.boolean(),
})

export const reauthenticateInput = z.strictObject({ password: givenPassword })

/** A user without a password must have just signed in with a provider. */
export const deleteAccountInput = z.strictObject({ password: givenPassword.optional() })

/** Our tokens have 43 characters. */
const emailToken = z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters')

/** Email of an account that can be older than the rules for new ones. The mail server rejects what it cannot send to. */
const knownEmail = z
  .string()
  .max(MAX_EMAIL_LENGTH, `must have at most ${MAX_EMAIL_LENGTH} characters`)
  .transform(normalizeEmail)
  .refine(
    (email) => isStorable(email) && /^[^\s@]+@[^\s@]+$/.test(email),
    'must be an email address, like ada@example.com',
  )

export const passwordResetRequestInput = z.strictObject({ email: knownEmail })

export const emailVerificationInput = z.strictObject({ token: emailToken })

export const emailVerificationOutput = z.object({ email: z.string() })

export const verifyEmailInput = z.strictObject({ token: emailToken })

export const verifyEmailOutput = z.object({
  success: z.literal(true),
  email: z.string(),
  /** For `account.resetPassword` if the account lost its password. Null: the account is unchanged. */
  resetToken: z.string().nullable(),
})

export const passwordResetInput = z.strictObject({ token: emailToken })

export const passwordResetOutput = z.object({ email: z.string() })

export const resetPasswordInput = z.strictObject({
  token: emailToken,
  password: newPasswordSchema,
  /** Also ends all API keys and shared links. */
  endKeysAndShares: z.boolean().optional(),
})

export type ResetPasswordInput = z.output<typeof resetPasswordInput>

export const resetPasswordOutput = z.object({ success: z.literal(true), email: z.string() })

/** Response to a sign-in. */
export const sessionOutput = z
  .object({
    token: z.string(),
    /** When the session ends if it is not used. */
    expiresAt: z.string(),
    user: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
  })
  .meta({ id: 'SignIn' })

export const sessionsOutput = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        createdAt: isoTime,
        lastSeenAt: isoTime,
        /** Client's name from its User-Agent, such as `Firefox on Linux`. Null if it sent none. */
        client: z.string().nullable(),
        /** True for the session of this call. */
        current: z.boolean(),
      })
      .meta({ id: 'Session' }),
  ),
})

export const revokeSessionInput = z.strictObject({ id: z.string() })

/** Permissions of an API key, for procedures and /files/*. */
export const API_KEY_SCOPES = ['uploads:write', 'files:read', 'files:delete'] as const

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

/** Permissions of a user token: those of an API key, and more. */
export const USER_TOKEN_SCOPES = [...API_KEY_SCOPES, 'devices:write', 'messages:read'] as const

export type UserTokenScope = (typeof USER_TOKEN_SCOPES)[number]

export const createApiKeyInput = z.strictObject({
  name,
  expiresInDays: whole(1, 3650).optional(),
  scopes: z
    .array(z.enum(API_KEY_SCOPES, `must be one of ${API_KEY_SCOPES.join(', ')}`))
    .min(1, 'must name at least one scope')
    .refine((list) => new Set(list).size === list.length, 'must not name a scope twice'),
})

export type CreateApiKeyInput = z.output<typeof createApiKeyInput>

/** `token` is the raw key. */
export const createApiKeyOutput = z.object({ id: z.string(), token: z.string(), expiresAt: isoTime })

export const apiKeysOutput = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(z.string()),
        /** Last four characters of the raw key. Null for keys that releases up to 0.1.0 created. */
        suffix: z.string().nullable(),
        createdAt: isoTime,
        expiresAt: isoTime,
        lastUsedAt: isoTime.nullable(),
      })
      .meta({ id: 'ApiKey' }),
  ),
})

export const revokeApiKeyInput = z.strictObject({ id: z.string() })
