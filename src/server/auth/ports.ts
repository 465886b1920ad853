/** The user of a valid session. */
export type SessionUser = {
  id: string
  email: string
  name: string | null
  /** When the user last gave a password or came from a provider; renewing the token does not change it. */
  signedInAt: Date
}

/** A user with what signing in needs. */
export type AuthUser = {
  id: string
  email: string
  name: string | null
  /** When the operator or a provider vouched for the email; null after a sign-up, which proves nothing. */
  emailVerifiedAt: Date | null
  /** PHC string; null for users who sign in with a provider only. */
  passwordHash: string | null
  /** Part of every session token; tokens with another epoch are invalid. */
  sessionEpoch: number
}

export type NewUser = Omit<AuthUser, 'sessionEpoch'>

/** A user's identity as a sign-in provider states it. */
export type Identity = {
  provider: string
  providerAccountId: string
  email: string
  emailVerified: boolean
  name: string | null
}

export type IdentityKey = Pick<Identity, 'provider' | 'providerAccountId'>

/** No method finds users whose deletion has begun. */
export type UserRepo = {
  findByEmail(email: string): Promise<AuthUser | null>
  findById(id: string): Promise<AuthUser | null>
  /** One indexed query: the user, if it exists and has this epoch. */
  findSession(id: string, epoch: number): Promise<{ id: string; email: string; name: string | null } | null>
  /** Creates the user together with its first identity, if given. Null when the email or identity is taken. */
  create(user: NewUser, identity?: IdentityKey): Promise<AuthUser | null>

  /** Stores the same password hashed at other costs, if the hash is still `from`. */
  replaceHash(id: string, from: string, to: string): Promise<void>
  /** Sets the password and ends all sessions; null if the hash is no longer `from`. */
  changePassword(id: string, from: string | null, to: string): Promise<AuthUser | null>
  endSessions(id: string): Promise<void>

  findByIdentity(key: IdentityKey): Promise<AuthUser | null>
  /** False if the identity is taken. */
  link(userId: string, key: IdentityKey): Promise<boolean>
  /**
   * Links the identity, and removes what somebody who signed up with another's email could still use: the
   * password, the sessions, the devices. False if the identity is taken.
   */
  takeOver(userId: string, key: IdentityKey, at: Date): Promise<boolean>
}

/** The steps of deleting an account; each can be repeated. */
export type AccountDeletionRepo = {
  /** In one transaction: no sign-in, sessions, devices or push tokens any more; the email is free again. */
  begin(userId: string, at: Date): Promise<void>
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
