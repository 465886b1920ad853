import type { AuditEvent } from '../../kernel/audit.ts'
import type { CleanupRepo } from './cleanup.ts'
import type { FileMoveRepo } from './file-move-repo.ts'
import type { FileRecord, FileState, LeaseTerm } from './file-record.ts'
import type { Visibility } from './schema.ts'
import type { TrashRepo } from './trash-repo.ts'

export type NewFile = Pick<
  FileRecord,
  | 'id'
  | 'userId'
  | 'filename'
  | 'mimeType'
  | 'size'
  | 'key'
  | 'totalParts'
  | 'partSize'
  | 'urlExpiresAt'
  | 'policy'
  | 'data'
> & {
  state: 'PENDING' | 'UPLOADING'
  expiresAt: Date
  createdAt: Date
  idempotencyKey: string | null
  visibility: Visibility
}

/** `known`: the owner already has a file with this idempotency key. `rejected`: a limit is exceeded. */
export type Reservation = { outcome: 'reserved' | 'rejected' } | { outcome: 'known'; file: FileRecord }

export type Usage = {
  used: number
  reserved: number
  quota: number
  unfinishedUploads: number
  /** True if the quota is 0 until the user verifies the email. */
  mustVerify: boolean
}

/** Limits that apply unless the user has a quota of their own. */
export type UserLimits = {
  quotaBytes: number
  unfinishedUploads: number
  /** Users who sign in here have no quota until they verify their email. */
  verifiedOnly: boolean
  /** Files and unfinished uploads that the user can have with the file's policy. Null: any number. */
  policyFiles: number | null
  /** Limits of the token that the upload is created with. Undefined or null: none. */
  token?: TokenLimits | null
}

/** Change of an upload that becomes READY. */
export type Ready = {
  etag: string
  at: Date
  cleanupAfter: Date | null
  /** When the sweeper deletes the file. Null: never. */
  expiresAt: Date | null
  /** Deletes the owner's oldest READY files with this policy beyond `maxFiles`, including the new one. */
  replace?: { policy: string; maxFiles: number }
}

/** End of a file's hold. `audit` is stored in the same transaction. */
export type Acceptance = Omit<Ready, 'etag'> & {
  audit: AuditEvent
  /** Key of the public copy that the caller makes next. Undefined: the file stays private. */
  publicKey: string | undefined
}
export type Rejection = { rejectReason: string; at: Date; audit: AuditEvent }

/** Combined limits of all uploads with one user token. Uploads that ended without becoming READY do not count. */
export type TokenLimits = { tokenId: string; maxFiles: number | null; maxBytes: number | null }

/** End of an upload that does not become READY. */
export type Ending = {
  state: 'ABORTED' | 'EXPIRED' | 'REJECTED'
  rejectReason?: string
  at: Date
  /** When the sweeper can clean up the store. Null: the store has nothing left. */
  cleanupAfter: Date | null
  /** True to release the quota now, because the store has nothing and nothing more can arrive. */
  release: boolean
  deletedAt?: Date
}

export type FileSort = 'newest' | 'oldest' | 'name' | 'largest'

export type FileFilter = {
  /** Each must be part of the name, ignoring case. */
  words: string[]
  /** Null: any. */
  mimeTypes: string[] | null
}

/** Number of files of a type, and their share of the quota. */
export type FileTotal = { mimeType: string; files: number; bytes: number }

/** Columns that a list needs. A caller may request hundreds of thousands of rows per minute. */
export type ListedFile = Pick<
  FileRecord,
  | 'id'
  | 'filename'
  | 'mimeType'
  | 'size'
  | 'key'
  | 'state'
  | 'thumbnailBytes'
  | 'policy'
  | 'data'
  | 'visibility'
  | 'createdAt'
> & {
  /** True if the file has an active share. */
  shared: boolean
}

/** Last file of the previous page, with the value that the list is sorted by. */
export type FileCursor = { id: string; size?: number; filename?: string }

export type FilePage = FileFilter & {
  sort: FileSort
  after: FileCursor | undefined
  /** Omits uploads that ended earlier. */
  endedAfter: Date
  now: Date
  limit: number
}

export type UploadRepo = CleanupRepo &
  FileMoveRepo &
  TrashRepo & {
    /**
     * In one statement, reserves `size` of the owner's quota and inserts the row. Does nothing if it does not fit, the
     * owner has too many unfinished uploads, the token's limits are reached, or a file has its idempotency key. Of parallel
     * calls with one key, only one reserves.
     */
    reserve(file: NewFile, limits: UserLimits): Promise<Reservation>
    /** Counts the user's files and unfinished uploads with this policy. */
    countPolicyFiles(userId: string, policy: string): Promise<number>
    /** Sums the token's uploads, except those that ended without becoming READY. */
    tokenUsage(tokenId: string): Promise<{ files: number; bytes: number }>
    freeIdempotencyKey(id: string): Promise<void>
    /** Sets when the URL of a simple upload expires. False if the file is not PENDING, or leased. */
    extendUrl(id: string, urlExpiresAt: Date): Promise<boolean>
    /** Null: no such user. */
    usage(userId: string, limits: Pick<UserLimits, 'quotaBytes' | 'verifiedOnly'>): Promise<Usage | null>
    /** Finishes the initiation of a multipart upload. False if the row has expired meanwhile. */
    attachUpload(id: string, uploadId: string, expiresAt: Date): Promise<boolean>
    /** Aborts and hides an upload whose initiation failed, and releases its quota, because no part can arrive. */
    abandonInitiation(id: string, now: Date): Promise<void>

    find(id: string, userId: string, withDeleted?: boolean): Promise<FileRecord | null>
    /** Finds files of any owner and state. Omits unknown IDs. */
    findAll(ids: string[]): Promise<FileRecord[]>
    /** Returns false if the owner has no such file. */
    rename(id: string, userId: string, filename: string): Promise<boolean>
    /**
     * In one statement, stores a thumbnail and counts its bytes as used. False if the owner has no such READY file without
     * a thumbnail, or the quota is exceeded.
     */
    addThumbnail(id: string, userId: string, webp: Uint8Array, defaultQuota: number): Promise<boolean>
    /** Null: the owner has no such file, or it has no thumbnail. */
    thumbnail(id: string, userId: string): Promise<Uint8Array<ArrayBuffer> | null>
    /** Counts the user's READY files. */
    totals(userId: string, filter: FileFilter): Promise<FileTotal[]>
    list(userId: string, page: FilePage): Promise<ListedFile[]>

    /** Takes the lease. Null if the file is not in `state`, or leased. */
    acquire(id: string, userId: string, lease: LeaseTerm, state: FileState): Promise<FileRecord | null>
    /** Returns false if the lease was lost. */
    renew(id: string, lease: LeaseTerm): Promise<boolean>
    /** Returns false if the lease had ended. */
    release(id: string, leaseId: string): Promise<boolean>

    /** Turns reserved quota into used quota and ends the lease. Returns replaced files, or null if the lease was lost. */
    markReady(id: string, leaseId: string, ready: Ready): Promise<FileRecord[] | null>
    /** Keeps the quota reserved and ends the lease. `until`: when the sweeper decides. False if the lease was lost. */
    markHeld(id: string, leaseId: string, held: { etag: string; until: Date }): Promise<boolean>
    /** Turns reserved quota of a HELD file into used quota. Returns replaced files, or null if the file is not HELD. */
    acceptHeld(id: string, acceptance: Acceptance): Promise<FileRecord[] | null>
    /** Makes the cleanup of a HELD file due. Null if it is not HELD. */
    rejectHeld(id: string, rejection: Rejection): Promise<FileRecord | null>
    /** Finds up to `limit` HELD files whose time for a verdict has ended, longest first, that come after the file `after`. */
    findOverdueHeld(now: Date, after: FileRecord | null, limit: number): Promise<FileRecord[]>
    /** Also ends the lease. False if it was lost. */
    markEnded(id: string, leaseId: string, ending: Ending): Promise<boolean>
    /** Releases the reserved quota of an ended or deleted file. `cleanupAfter` null: nothing is left to clean up. */
    releaseQuota(id: string, cleanupAfter: Date | null): Promise<void>
    /**
     * Hides the file, even if it is in the trash, and makes its cleanup due. Null if the owner has no such file, or
     * its upload is unfinished.
     */
    markDeleted(id: string, userId: string, at: Date): Promise<FileRecord | null>
    /** Does the same for all files of a user, except leased unfinished ones. Returns the number of those. */
    markAllDeleted(userId: string, at: Date): Promise<number>

    /** Records or replaces a part of an UPLOADING file. Returns all recorded numbers, or null without such a file. */
    recordPart(id: string, userId: string, partNumber: number, etag: string): Promise<number[] | null>
    /** Maps part numbers to ETags without quotes. */
    recordedParts(id: string): Promise<Map<number, string>>
  }
