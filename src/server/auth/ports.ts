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
  /** PHC string; null: signs in with a provider only. */
  passwordHash: string | null
  /** Part of every session token; a token with another epoch is dead. */
  sessionEpoch: number
}

export type NewUser = {
  id: string
  email: string
  name: string | null
  passwordHash: string | null
}

/** Users that are being deleted are found by none of these. */
export type UserRepo = {
  findByEmail(email: string): Promise<AuthUser | null>
  findById(id: string): Promise<AuthUser | null>
  /** One indexed query: the user, if it exists and its epoch is this one. */
  findSession(id: string, epoch: number): Promise<{ id: string; email: string; name: string | null } | null>
  /** Null when the email is taken. */
  create(user: NewUser): Promise<AuthUser | null>
  /** Replaces the hash only if it is still `from`, since a password may be changed meanwhile. */
  replaceHash(id: string, from: string, to: string): Promise<void>
}
