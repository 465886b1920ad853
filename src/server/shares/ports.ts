// Glossary.
// Share: a link to one file that needs no session. Living: not revoked, not expired, its file ready and its owner active.
// Token: the 256 bits in the link, of which only the hash is stored.

/** Who makes a share. `epoch`: of the credential, which tells whether the access has ended meanwhile. */
export type ShareOwner = { id: string; epoch: number }

export type NewShare = {
  id: string
  /** SHA-256 of the token, hex. */
  hash: string
  fileId: string
  userId: string
  epoch: number
  /** PHC string. Null: everybody who has the link may download. */
  passwordHash: string | null
  createdAt: Date
  expiresAt: Date
}

/** A living share as its owner sees it. */
export type OwnShare = Pick<
  NewShare,
  'id' | 'hash' | 'fileId' | 'passwordHash' | 'createdAt' | 'expiresAt'
> & {
  filename: string
  downloads: number
}

export type SharedFile = {
  id: string
  key: string
  filename: string
  mimeType: string /** Bytes. */
  size: number
}

/** A living share as its visitors use it. */
export type LivingShare = { id: string; passwordHash: string | null; expiresAt: Date; file: SharedFile }

export type CreateOutcome = 'created' | 'accessEnded' | 'noFile' | 'tooManyOfFile' | 'tooManyOfUser'

/** What owners do is in the audit log too. */
export type ShareRepo = {
  /** Whether the user has this file, ready. */
  hasFile(userId: string, fileId: string): Promise<boolean>
  create(
    share: NewShare,
    options: { maxOfFile: number; maxOfUser: number; address: string },
  ): Promise<CreateOutcome>
  /** The user's living shares (of one file), newest first. */
  list(userId: string, fileId: string | null, at: Date): Promise<OwnShare[]>
  /** True also if it was revoked before; false: no share of this user's has this id. */
  revoke(userId: string, id: string, by: { at: Date; address: string }): Promise<boolean>
  /** The living share with this hash. One indexed statement. */
  find(hash: string, at: Date): Promise<LivingShare | null>
  /** Counts one download in one statement; false: the share lives no more. */
  countDownload(id: string, at: Date): Promise<boolean>
  /** Deletes up to `limit` shares that were revoked or expired before; returns how many. */
  prune(before: Date, limit: number): Promise<number>
}

/** How passwords are hashed and checked: in turn with those of sign-ins, and limited by share and address. */
export type SharePasswords = {
  hash(password: string, address: string): Promise<string>
  /** @throws AppError FORBIDDEN: it is wrong; TOO_MANY_REQUESTS */
  verify(attempt: { shareId: string; address: string }, password: string, stored: string): Promise<void>
}

/** Presigns a GET (or HEAD) of a file with its type and name, for five minutes. */
export type PresignFile = (
  file: SharedFile,
  options: { download: boolean; method?: 'GET' | 'HEAD' },
) => Promise<{ url: string }>
