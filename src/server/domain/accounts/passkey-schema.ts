import { z } from 'zod'
import { trimmedText } from '../../kernel/text.ts'
import { isoTime, withoutDirectionOverrides } from '../../kernel/validation.ts'
import { normalizeEmail } from './schema.ts'

/** Bytes as WebAuthn's JSON writes them. */
const base64url = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^[\w-]+$/, 'must be base64url')

/** Credential IDs have at most 1,023 bytes (WebAuthn, section 4). */
const credentialId = base64url(1364)

/** Browsers add fields with every version of WebAuthn, so unknown ones are dropped. */
const credential = <Response extends z.ZodObject>(response: Response) =>
  z.object({ id: credentialId, rawId: credentialId, type: z.literal('public-key'), response })

const clientDataJSON = base64url(4096)

const transports = z.array(z.string().regex(/^[a-z-]{1,32}$/, 'must be names such as "internal"')).max(10)

/** `PublicKeyCredential.toJSON()` of a new passkey. */
export const newCredential = credential(
  z.object({ clientDataJSON, attestationObject: base64url(16_384), transports: transports.optional() }),
)

/** `PublicKeyCredential.toJSON()` of a sign-in. */
export const usedCredential = credential(
  z.object({
    clientDataJSON,
    authenticatorData: base64url(4096),
    signature: base64url(4096),
    userHandle: base64url(128).optional(),
  }),
)

export type NewCredential = z.output<typeof newCredential>
export type UsedCredential = z.output<typeof usedCredential>

const name = z
  .string()
  .transform((text) => withoutDirectionOverrides(text).trim())
  .pipe(trimmedText(100))

const descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
})

/** Argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const registrationOptionsOutput = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.number(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
})

/** Argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const signInOptionsOutput = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number(),
  userVerification: z.literal('required'),
})

export type RegistrationOptions = z.output<typeof registrationOptionsOutput>
export type SignInOptions = z.output<typeof signInOptionsOutput>

export const registerPasskeyInput = z.strictObject({
  response: newCredential,
  /** Default: the name of the password manager or browser. */
  name: name.optional(),
})

const recoveryCodes = z.array(z.string())

export const registerPasskeyOutput = z.object({
  id: z.string(),
  name: z.string(),
  /** Ten codes with a user's first passkey, otherwise null. */
  recoveryCodes: recoveryCodes.nullable(),
})

export const passkeysOutput = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        name: z.string(),
        createdAt: isoTime,
        lastUsedAt: isoTime.nullable(),
        /** True if the authenticator has copied the passkey to other devices. */
        backedUp: z.boolean(),
      })
      .meta({ id: 'Passkey' }),
  ),
  /** True if passwords and providers sign the user in only together with a passkey, once there is one. */
  required: z.boolean(),
  /** Number of unused recovery codes. */
  recoveryCodes: z.number(),
  /** True if the account also has a password. */
  hasPassword: z.boolean(),
})

export const renamePasskeyInput = z.strictObject({ id: z.string(), name })
export const deletePasskeyInput = z.strictObject({ id: z.string() })
export const requirePasskeyInput = z.strictObject({ required: z.boolean() })
export const recoveryCodesOutput = z.object({ recoveryCodes })

export const passkeySignInInput = z.strictObject({ response: usedCredential })

export const recoverySignInInput = z.strictObject({
  email: z.string().min(1, 'must not be empty').max(1024, 'is too long').transform(normalizeEmail),
  /** Required if the account has one. */
  password: z.string().max(1024, 'must have at most 1024 characters').optional(),
  recoveryCode: z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters'),
})
