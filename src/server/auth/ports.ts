import type { ApiKeyScope } from './schema.ts'

export type Role = 'user' | 'admin'

/** Who calls, and with which kind of credential. */
export type Principal = SessionUser | ExternalUser | ApiKeyUser

type PrincipalUser = {
  id: string
  name: string | null
  role: Role
  /** The user's `sessionEpoch` when the credential was checked: a higher one by now means that access has ended. */
  epoch: number
}

/** The user of a valid session. */
export type SessionUser = PrincipalUser & {
  via: 'session'
  email: string
  sessionId: string
  /** When the user gave a password or came from a provider to begin this session. */
  signedInAt: Date
}

/** The user of a JWT of AUTH_JWT_ISSUER. */
export type ExternalUser = PrincipalUser & {
  via: 'jwt'
  /** When the user signed in over there, or the token was issued if it does not say; null: it says neither. */
  signedInAt: Date | null
}

/** The user whose API key it is. */
export type ApiKeyUser = PrincipalUser & { via: 'apiKey'; keyId: string; scopes: readonly ApiKeyScope[] }

/** A session that is valid now. */
export type LiveSession = SessionUser & {
  /** When it ends if it is not used again. */
  expiresAt: Date
}

/** Who signs in, for limits and for the list of sessions. */
export type Caller = {
  /** The address that limits count by. */
  address: string
  userAgent: string | null
  /** Of mails to the caller, like `de`; without it English. */
  language?: () => string
}

/** A user who signs in here, with what that needs. */
export type AuthUser = {
  id: string
  email: string
  name: string | null
  /** Since then nobody may sign in as this user. */
  disabledAt: Date | null
  /** When the email was proven: by the operator, a provider, or a mailed link; null after a sign-up, which proves nothing. */
  emailVerifiedAt: Date | null
  /** PHC string; null for users who sign in with a provider only. */
  passwordHash: string | null
  /** A session remembers it; sessions of another epoch have ended. */
  sessionEpoch: number
}

export type NewUser = Omit<AuthUser, 'sessionEpoch' | 'disabledAt'>

/** A user's identity as a sign-in provider states it. */
export type Identity = {
  provider: string
  providerAccountId: string
  email: string
  emailVerified: boolean
  name: string | null
}

export type IdentityKey = Pick<Identity, 'provider' | 'providerAccountId'>

/** No method finds users whose deletion has begun, or who sign in elsewhere only. */
export type UserRepo = {
  findByEmail(email: string): Promise<AuthUser | null>
  findById(id: string): Promise<AuthUser | null>
  /** Creates the user together with its first identity, if given. Null when the email or identity is taken. */
  create(user: NewUser, identity?: IdentityKey): Promise<AuthUser | null>

  /** Stores the same password hashed at other costs, if the hash is still `from`. */
  replaceHash(id: string, from: string, to: string): Promise<void>
  /** Sets the password and ends all sessions; null if the hash is no longer `from`, or sessions ended since `epoch`. */
  changePassword(
    user: { id: string; epoch: number },
    from: string | null,
    to: string,
  ): Promise<AuthUser | null>
  endSessions(id: string): Promise<void>

  findByIdentity(key: IdentityKey): Promise<AuthUser | null>
  /** False if the identity is taken. */
  link(userId: string, key: IdentityKey): Promise<boolean>
  /**
   * Gives the account, whose email nobody had proven, to this identity, without the identities, password, sessions,
   * devices, preferences and name that others put there. False if the identity is taken, or the email proven by now.
   */
  claim(userId: string, identity: Identity, at: Date): Promise<boolean>
  /** Notes that the account's own identity has proven its email by now. */
  proveEmail(userId: string, at: Date): Promise<void>
}

export type NewSession = {
  id: string
  userId: string
  epoch: number
  userAgent: string | null
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

export type FoundSession = LiveSession & { lastSeenAt: Date }

export type SessionRepo = {
  /** Above `max` sessions of the user, those not seen longest end. */
  create(session: NewSession, max: number): Promise<void>
  /** One indexed statement: the session, if it has not expired, its epoch is its user's, and the user is not disabled. */
  find(id: string, at: Date): Promise<FoundSession | null>
  /** Writes down a use, of the session and of its user, if the last one written down is not after `before`. */
  seen(id: string, use: { at: Date; expiresAt: Date; before: Date }): Promise<void>
  /** What `find` would find, last seen first. */
  list(userId: string, at: Date): Promise<Pick<NewSession, 'id' | 'userAgent' | 'createdAt' | 'lastSeenAt'>[]>
  /** The id of its user; null if there is no such session, or it is not this user's. */
  end(id: string, userId?: string): Promise<string | null>
  /** Returns how many rows were deleted. */
  deleteExpired(at: Date, limit: number): Promise<number>
}

/** What a JWT of the external issuer says of its user, each as it stands there. */
export type ExternalClaims = {
  sub: string
  email: string | null
  name: string | null
  /** `auth_time`, else `iat`. */
  signedInAt: Date | null
}

/** @throws AppError UNAUTHORIZED, which says why; INTERNAL_SERVER_ERROR while the issuer's keys cannot be loaded */
export type VerifyExternalToken = (token: string) => Promise<ExternalClaims>

export type FoundExternalUser = Omit<ExternalUser, 'via' | 'signedInAt'> & {
  disabledAt: Date | null
  lastSeenAt: Date | null
}

/** Users of an external issuer; `externalId` is the `sub` of its tokens. */
export type ExternalUserRepo = {
  /** One indexed statement. */
  find(issuer: string, externalId: string): Promise<FoundExternalUser | null>
  /** `email` is for display only. False: there is one. */
  create(user: {
    id: string
    issuer: string
    externalId: string
    email: string | null
    name: string | null
  }): Promise<boolean>
  /** Writes down a use and what the token says, if the last one written down is not after `before`. */
  seen(id: string, use: { at: Date; before: Date; email: string | null; name: string | null }): Promise<void>
}

export type ApiKeyView = {
  id: string
  name: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

/** A key to store; `epoch`: of the call that makes it, see `PrincipalUser`. */
export type NewApiKey = Omit<ApiKeyView, 'scopes' | 'lastUsedAt'> & {
  hash: string
  userId: string
  epoch: number
  scopes: readonly ApiKeyScope[]
}

export type FoundApiKey = Omit<ApiKeyUser, 'via'> & {
  expiresAt: Date
  lastUsedAt: Date | null
  disabledAt: Date | null
}

/** What is done is in the audit log too. */
export type ApiKeyRepo = {
  /** Also deletes the user's expired ones. */
  create(
    key: NewApiKey,
    options: { max: number; address: string },
  ): Promise<'created' | 'tooMany' | 'accessEnded'>
  list(userId: string): Promise<ApiKeyView[]>
  /** False: no key of this user's has this id. */
  revoke(userId: string, id: string, address: string): Promise<boolean>
  find(hash: string): Promise<FoundApiKey | null>
  /** Writes down a use, of the key and of its user, if the last one written down is not after `before`. */
  used(keyId: string, use: { at: Date; before: Date }): Promise<void>
}

/** What a mailed link is for. */
export type EmailTokenPurpose = 'verify' | 'reset'

/** A mail with a link. */
export type Mail = { purpose: EmailTokenPurpose | 'invite'; to: string; language: string; url: string }

/** Sends mails beside the calls that ask for them. */
export type Outbox = {
  /**
   * Returns at once; `prepare` runs later, and again if it fails. Null: there is nothing to send after all. False: too
   * many mails wait.
   */
  post(prepare: () => Promise<Mail | null>): boolean
}

export type NewEmailToken = {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  createdAt: Date
  expiresAt: Date
}

/** Who uses a link, and when, for the audit log. */
export type TokenUse = { hash: string; at: Date; address: string }

/**
 * Links that were mailed. One is good until it expires or is used, for a user who is neither disabled nor being
 * deleted; null: it is not. Using one ends all of its user's.
 */
export type EmailTokenRepo = {
  create(token: NewEmailToken): Promise<void>
  find(hash: string, purpose: EmailTokenPurpose, at: Date): Promise<{ userId: string; email: string } | null>
  /** The user whose link it is has used it himself: his account is proven and keeps all it has. */
  prove(use: TokenUse): Promise<boolean>
  /**
   * Somebody else may have made the account: it is proven, without what was put there before, and `next`, which sets its
   * password, is stored. `proven`: it was proven already and is left as it is.
   */
  claim(use: TokenUse, next: Omit<NewEmailToken, 'userId'>): Promise<'claimed' | 'proven' | null>
  /** Sets the password and ends all sessions. An account that nobody had proven loses what others put there. */
  resetPassword(use: TokenUse, passwordHash: string): Promise<boolean>
  /** Returns how many rows were deleted. */
  deleteExpired(at: Date, limit: number): Promise<number>
}

/** The steps of deleting an account; each can be repeated. */
export type AccountDeletionRepo = {
  /**
   * In one transaction: no sign-in, sessions, devices, API keys or push tokens any more, and nothing more is sent of
   * what these tokens broadcast; the email is free again. `by` is for the audit entry.
   */
  begin(userId: string, by: { actor: string | null; address: string | null; at: Date }): Promise<void>
  /** Users whose deletion has begun, in the order of their ids, above `after`. */
  findUnfinished(after: string | null, limit: number): Promise<string[]>
  /** Deletes the user's row if no file is left; false if one is. */
  finish(userId: string): Promise<boolean>
}

/** The files of users, as account deletion needs them. */
export type UserFiles = {
  /** Deletes all files of the user as far as that is possible now. Repeatable. */
  deleteAll(userId: string): Promise<unknown>
}
