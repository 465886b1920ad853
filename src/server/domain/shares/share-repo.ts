// Glossary.
// Share: a link to one file that needs no session. Active: not revoked, not expired, file ready and owner active.
// Token: 256 bits in the link. Only its hash is stored.

type NewShare = {
  id: string
  /** SHA-256 of the token, in hex. */
  hash: string
  fileId: string
  userId: string
  /** Epoch of the owner's credential. If the user's epoch is higher, access has ended. */
  epoch: number
  /** PHC string. Null: anyone with the link can download. */
  passwordHash: string | null
  createdAt: Date
  expiresAt: Date
}

/** Active share as its owner sees it. */
type OwnShare = Omit<NewShare, 'userId' | 'epoch'> & { filename: string; downloads: number }

/** `size` is in bytes. */
export type SharedFile = { id: string; key: string; filename: string; mimeType: string; size: number }

/** Active share as its visitors use it. */
export type ActiveShare = {
  id: string
  ownerId: string
  ownerName: string | null
  passwordHash: string | null
  expiresAt: Date
  file: SharedFile
}

type CreateOutcome = 'created' | 'accessEnded' | 'noFile' | 'tooManyOfFile' | 'tooManyOfUser'

/** Also writes each change by an owner to the audit log. */
export type ShareRepo = {
  /** Returns true if the user has this file and it is READY. */
  hasFile(userId: string, fileId: string): Promise<boolean>
  /** `onNew` is called before a share is stored; if it throws, nothing changes. */
  create(
    share: NewShare,
    options: { maxOfFile: number; maxOfUser: number; address: string; onNew: () => Promise<void> },
  ): Promise<CreateOutcome>
  /** Lists the user's active shares (of one file), newest first. */
  list(userId: string, fileId: string | null, at: Date): Promise<OwnShare[]>
  /** Returns true even if the share was revoked before, and false if the user has none with this ID. */
  revoke(userId: string, id: string, by: { at: Date; address: string }): Promise<boolean>
  /** Finds an active share, with one indexed statement. */
  find(hash: string, at: Date): Promise<ActiveShare | null>
  /** Counts one download in one statement. False if the share is no longer active. */
  countDownload(id: string, at: Date): Promise<boolean>
  /** Deletes up to `limit` shares that were revoked or expired before this time. Returns their number. */
  prune(before: Date, limit: number): Promise<number>
}
