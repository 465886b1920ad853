import type { ApiKeyScope, UserTokenScope } from './schema.ts'
import type { UploadLimits } from './user-token.ts'

export type Role = 'user' | 'admin'

/** Caller, by kind of credential. */
export type Principal = SessionUser | ExternalUser | ApiKeyUser | UserTokenUser

type PrincipalUser = {
  id: string
  name: string | null
  role: Role
  /** User's `sessionEpoch` when the credential was checked. A higher one now means that access has ended. */
  epoch: number
}

/** Credential with which a session was started. Null: started by a version without passkeys. */
export type SignInMethod = 'password' | 'provider' | 'passkey' | 'recovery_code'

/** User of a valid session. */
export type SessionUser = PrincipalUser & {
  via: 'session'
  email: string
  sessionId: string
  /** When the user last signed in or confirmed their password in this session. */
  signedInAt: Date
  /** Becomes `passkey` when the user registers a passkey in this session. */
  method: SignInMethod | null
  /** True for an administrator who must register or use a passkey first (ADMIN_REQUIRE_PASSKEY). */
  needsPasskey: boolean
}

/** User of a JWT of AUTH_JWT_ISSUER. */
export type ExternalUser = PrincipalUser & {
  via: 'jwt'
  /** When the user signed in at the issuer, else when the token was issued. Null if it states neither. */
  signedInAt: Date | null
}

/** Owner of an API key. */
export type ApiKeyUser = PrincipalUser & { via: 'apiKey'; keyId: string; scopes: readonly ApiKeyScope[] }

/** User of a token that an app's backend created. */
export type UserTokenUser = PrincipalUser & {
  via: 'userToken'
  scopes: readonly UserTokenScope[]
  uploadLimits: UploadLimits | null
}

/** Client that signs in, for limits and the list of sessions. */
export type Caller = {
  /** Address that limits count by. */
  address: string
  userAgent: string | null
  /** Language of emails to the caller, such as `de`. Default: English. */
  language?: () => string
}
