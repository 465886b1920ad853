/** Who a valid session belongs to. */
export type SessionUser = {
  id: string
  email: string
  name: string | null
  /** When the password or the provider was last asked, however often the token was renewed since. */
  signedInAt: Date
}

/** A user as signing in sees it. */
export type AuthUser = {
  id: string
  email: string
  name: string | null
  /** When the operator or a provider vouched for the email; null: somebody signed up with it, proof is out. */
  emailVerifiedAt: Date | null
  /** PHC string; null: signs in with a provider only. */
  passwordHash: string | null
  /** Part of every session token; a token with another epoch is dead. */
  sessionEpoch: number
}

export type NewUser = Omit<AuthUser, 'sessionEpoch'>

/** A sign-in provider's word for who somebody is. */
export type Identity = {
  provider: string
  providerAccountId: string
  email: string
  emailVerified: boolean
  name: string | null
}

export type IdentityKey = Pick<Identity, 'provider' | 'providerAccountId'>

/** Users that are being deleted are found by none of these. */
export type UserRepo = {
  findByEmail(email: string): Promise<AuthUser | null>
  findById(id: string): Promise<AuthUser | null>
  /** One indexed query: the user, if it exists and its epoch is this one. */
  findSession(id: string, epoch: number): Promise<{ id: string; email: string; name: string | null } | null>
  /** With its first identity, where a provider brings it. Null when the email or the identity is taken. */
  create(user: NewUser, identity?: IdentityKey): Promise<AuthUser | null>

  /** The same password with other costs; only if the hash is still `from`. */
  replaceHash(id: string, from: string, to: string): Promise<void>
  /** Sets the password and ends all sessions; null if the hash is not `from` any more. */
  changePassword(id: string, from: string | null, to: string): Promise<AuthUser | null>
  endSessions(id: string): Promise<void>

  findByIdentity(key: IdentityKey): Promise<AuthUser | null>
  /** False if the identity is taken. */
  link(userId: string, key: IdentityKey): Promise<boolean>
  /**
   * Links, and takes from whoever signed up with an email that was not theirs what they could still use:
   * the password, the sessions, the devices. False if the identity is taken.
   */
  takeOver(userId: string, key: IdentityKey, at: Date): Promise<boolean>
}

/** The steps of removing an account; each can be repeated. */
export type AccountRemovalRepo = {
  /** At once and in one transaction: no sign-in, no session, no device, no push token; the email is free again. */
  begin(userId: string, at: Date): Promise<void>
  /** Users whose removal has begun and is not finished, by id, above `after`. */
  begun(after: string | null, limit: number): Promise<string[]>
  /** Removes the user's row if no file is left; false if one is. */
  finish(userId: string): Promise<boolean>
}

/** Where a user's files are. */
export type FileEraser = {
  /** Removes all files of the user as far as that is possible now. Repeatable. */
  deleteAllFilesOf(userId: string): Promise<unknown>
}

export type Attempts = {
  /** In the window that runs. */
  count: number
  /** Until it ends. */
  secondsLeft: number
}

/** Counts in fixed windows that begin with the first attempt; shared by all replicas. */
export type AttemptCounter = {
  read(key: string): Promise<Attempts>
  /** Counts one more and tells how many that makes. */
  add(key: string): Promise<Attempts>
  takeBack(key: string): Promise<void>
}
