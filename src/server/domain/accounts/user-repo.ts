/** User who signs in at this service. */
export type AuthUser = {
  id: string
  /** Another account can have the same email, see `isClaim`. */
  email: string
  name: string | null
  /** Time since which no one can sign in as this user. Null: the user is enabled. */
  disabledAt: Date | null
  /** When the operator, a provider or a mailed link verified the email. Null after a sign-up. */
  emailVerifiedAt: Date | null
  /** PHC string. Null for users who only sign in with a provider. */
  passwordHash: string | null
  /** Copied into each session. Sessions of another epoch have ended. */
  sessionEpoch: number
  /** True for a sign-up that must verify its email in time, or is deleted. */
  isPending: boolean
  /** True for a sign-up with an email that another account had. It gets the email if it is the first to verify it. */
  isClaim: boolean
}

export type NewUser = Omit<AuthUser, 'sessionEpoch' | 'disabledAt' | 'isPending'> & {
  /** When the account is deleted if its email is still unverified. Null: never. */
  verifyBy: Date | null
}

/** User's identity as a sign-in provider states it. */
export type Identity = {
  provider: string
  providerAccountId: string
  email: string
  emailVerified: boolean
  name: string | null
}

export type IdentityKey = Pick<Identity, 'provider' | 'providerAccountId'>

/** No method finds users whose deletion has begun, or who only sign in at an external issuer. */
export type UserRepo = {
  /** Returns the account that has this email, then those that claim it, newest first. */
  findAllByEmail(email: string): Promise<AuthUser[]>
  findById(id: string): Promise<AuthUser | null>
  /** Creates the user with an identity, if given. Null if the email or identity is taken. */
  create(user: NewUser, identity?: IdentityKey): Promise<AuthUser | null>

  /** Stores a hash of the same password with other costs, if the hash is still `from`. */
  replaceHash(id: string, from: string, to: string): Promise<void>
  /** Sets the password and ends all sessions. Null if the hash is not `from`, or sessions have ended since `epoch`. */
  changePassword(
    user: { id: string; epoch: number },
    from: string | null,
    to: string,
  ): Promise<AuthUser | null>
  endSessions(id: string): Promise<void>
  /** Returns false if sessions have ended since `epoch`. */
  rename(user: { id: string; epoch: number }, name: string | null): Promise<boolean>

  findByIdentity(key: IdentityKey): Promise<AuthUser | null>
  /** Returns the providers of the user's identities. */
  providersOf(userId: string): Promise<string[]>
  /** Returns false if the identity is taken. */
  link(userId: string, key: IdentityKey): Promise<boolean>
  /**
   * Gives an account without a verified email to this identity. Removes the identities, password, sessions, devices,
   * preferences and name that others added. False if the identity is taken, or the email has been verified meanwhile.
   */
  claim(userId: string, identity: Identity, at: Date): Promise<boolean>
  /** Deletes other sign-ups with this email. Has no effect if another account has it. */
  markEmailVerified(userId: string, at: Date): Promise<void>
}
