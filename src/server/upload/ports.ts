import type { Clock } from '../clock.ts'
import type { FILE_STATES } from './schema.ts'

// Glossary.
// Staged: under `staging/`, where a presigned PUT may still replace the object.
// Final: at the file's key, where only this service writes.
// Lease: the right to work on one file across store and database.
// Reserved, used: what a row counts in its owner's quota, for bytes that may still arrive and bytes that are stored.

export type FileState = (typeof FILE_STATES)[number]

export type FileRecord = {
  id: string
  userId: string
  filename: string
  mimeType: string
  /** Declared, in bytes. */
  size: number
  /** Final key. */
  key: string
  state: FileState
  /** The store's id of a multipart upload. Null: a simple upload, or an initiation that has not finished. */
  uploadId: string | null
  /** Null: a simple upload. */
  totalParts: number | null
  partSize: number | null
  etag: string | null
  rejectReason: string | null
  reserved: number
  used: number
  /** Bytes of its thumbnail, which `used` includes; 0: it has none. */
  thumbnailBytes: number
  /** When the presigned PUT of a simple upload expires. */
  urlExpiresAt: Date | null
  expiresAt: Date | null
  deletedAt: Date | null
  /** When it was ABORTED, EXPIRED or REJECTED. */
  endedAt: Date | null
  createdAt: Date
}

export type NewFile = Pick<
  FileRecord,
  'id' | 'userId' | 'filename' | 'mimeType' | 'size' | 'key' | 'totalParts' | 'partSize' | 'urlExpiresAt'
> & { state: 'PENDING' | 'UPLOADING'; expiresAt: Date; createdAt: Date; idempotencyKey: string | null }

/** `known`: the owner has a file with this idempotency key already. `refused`: it exceeds one of the limits. */
export type Reservation = { outcome: 'reserved' | 'refused' } | { outcome: 'known'; file: FileRecord }

export type Usage = {
  used: number
  reserved: number
  quota: number
  unfinishedUploads: number
  /** The quota is 0 until the user has proven the email. */
  mustVerify: boolean
}

/** What a user may have, unless the user's own quota says otherwise. */
export type UserLimits = {
  quotaBytes: number
  unfinishedUploads: number
  /** Users who sign in here have no quota before they have proven their email. */
  verifiedOnly: boolean
}

/** How an upload ends other than READY. */
export type Ending = {
  state: 'ABORTED' | 'EXPIRED' | 'REJECTED'
  rejectReason?: string
  at: Date
  /** When the sweeper may clean up what is left in the store; null: nothing is. */
  cleanupAfter: Date | null
  /** Whether to release the quota now: the store has nothing, and nothing more can arrive. */
  release: boolean
  deletedAt?: Date
}

/** A row that the sweeper has leased. */
export type CleanupFile = FileRecord & {
  ownerDeleted: boolean
  /** When the first of the attempts failed that have failed in a row. */
  failingSince: Date | null
}

/** What follows for a row that the sweeper has cleaned up. */
export type CleanupResult = {
  id: string
  /** Whether to release the quota that the row still has reserved. */
  release: boolean
  /** When to clean up again; null: never. */
  next: Date | null
  /** Null: the cleanup succeeded. */
  failingSince: Date | null
  /** Whether to delete the row (a tombstone whose time is over). */
  drop: boolean
}

/** A lease to take or to renew: an id made by the worker, and the duration from now on. */
export type LeaseTerm = { id: string; ms: number }

export type UploadRepo = {
  /**
   * In one statement: reserves `size` of the owner's quota and inserts the row, unless it does not fit, the owner has
   * as many unfinished uploads as allowed, or a file with its idempotency key. Of parallel calls with one key one
   * reserves.
   */
  reserve(file: NewFile, limits: UserLimits): Promise<Reservation>
  /** Frees the key for another file. */
  freeIdempotencyKey(id: string): Promise<void>
  /** Sets when the URL of a simple upload expires; false if the file is not PENDING, or leased. */
  extendUrl(id: string, urlExpiresAt: Date): Promise<boolean>
  /** Null: no such user. */
  usage(userId: string, limits: Pick<UserLimits, 'quotaBytes' | 'verifiedOnly'>): Promise<Usage | null>
  /** Finishes the initiation of a multipart upload; false if the row has expired in between. */
  attachUpload(id: string, uploadId: string, expiresAt: Date): Promise<boolean>
  /** Aborts and hides an upload whose initiation failed, and releases its quota: no part can arrive. */
  abandonInitiation(id: string, now: Date): Promise<void>

  /** The owner's file; a deleted one only `withDeleted`. */
  find(id: string, userId: string, withDeleted?: boolean): Promise<FileRecord | null>
  /** Whatever their owners and states; ids without a row are left out. */
  findAll(ids: string[]): Promise<FileRecord[]>
  /** False: the owner has no such file. */
  rename(id: string, userId: string, filename: string): Promise<boolean>
  /**
   * In one statement: stores the thumbnail of the owner's READY file, which has none, and counts its bytes as used.
   * False: there is no such file, or the bytes do not fit into the quota.
   */
  addThumbnail(id: string, userId: string, webp: Uint8Array, defaultQuota: number): Promise<boolean>
  /** Null: the owner has no such file, or it has none. */
  thumbnail(id: string, userId: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** Of the user's ready files. */
  totals(userId: string, filter: FileFilter): Promise<FileTotal[]>
  /** Without deleted ones and those that ended before `endedAfter`. */
  list(userId: string, page: FilePage): Promise<ListedFile[]>

  /** Takes the lease if the file is in `state` and not leased; else null. */
  acquire(id: string, userId: string, lease: LeaseTerm, state: FileState): Promise<FileRecord | null>
  /** False: the lease was lost. */
  renew(id: string, lease: LeaseTerm): Promise<boolean>
  /** False: the lease had ended. */
  release(id: string, leaseId: string): Promise<boolean>

  /** Turns the reserved quota into used quota and ends the lease; false if the lease was lost. */
  markReady(
    id: string,
    leaseId: string,
    ready: { etag: string; at: Date; cleanupAfter: Date | null },
  ): Promise<boolean>
  /** Ends the lease too; false if it was lost. */
  markEnded(id: string, leaseId: string, ending: Ending): Promise<boolean>
  /** Releases the reserved quota of an ended or deleted file. `cleanupAfter` null: nothing is left to clean up. */
  releaseQuota(id: string, cleanupAfter: Date | null): Promise<void>
  /** Hides the owner's file and makes its cleanup due. Null: there is no such file, or it is PENDING or UPLOADING. */
  markDeleted(id: string, userId: string, at: Date): Promise<FileRecord | null>

  /** Hides all files of a user and makes their cleanup due, except unfinished ones that are leased: returns their number. */
  markAllDeleted(userId: string, at: Date): Promise<number>

  /** Records or replaces a part of an UPLOADING file; returns all recorded numbers, or null if there is no such file. */
  recordPart(id: string, userId: string, partNumber: number, etag: string): Promise<number[] | null>
  /** Part number to plain ETag. */
  recordedParts(id: string): Promise<Map<number, string>>

  /** Marks up to `limit` overdue uploads that are not leased as EXPIRED, with cleanup due from `now` on; returns their number. */
  expire(now: Date, limit: number): Promise<number>
  /** Leases up to `limit` rows (of one user) whose cleanup is due. */
  leaseForCleanup(now: Date, lease: LeaseTerm, limit: number, userId?: string): Promise<CleanupFile[]>
  /** Records the results of cleaning up leased rows, and ends their leases. */
  recordCleanup(leaseId: string, results: CleanupResult[]): Promise<void>
  /**
   * Drops up to `limit` rows of deleted files and ended uploads that wait for nothing but their time, beyond the newest
   * `keep` of a user; those with an idempotency key only if made before `keysSince` or beyond the newest `keepKeys`.
   * Returns how many.
   */
  dropTombstones(
    now: Date,
    which: { keep: number; keepKeys: number; keysSince: Date },
    limit: number,
  ): Promise<number>
}

export type Presigned = { url: string; expiresAt: Date }
export type ObjectInfo = { size: number /** Plain. */; etag: string }
/** With the first bytes of the same object. */
export type InspectedObject = ObjectInfo & { leading: Uint8Array }
/** `unsure`: the answer is lost, late or an error, and the store may have carried out the call. */
export type StoreOutcome = { outcome: 'done' | 'changed' } | { outcome: 'unsure'; cause: unknown }
export type ListedObject = { key: string; size: number }
export type StoredPart = { partNumber: number; size: number /** Plain. */; etag: string }

export type FileSort = 'newest' | 'oldest' | 'name' | 'largest'

/** The last file of the page before; `size` and `filename` where the order goes by them. */
export type FileCursor = { id: string; size?: number; filename?: string }

export type FileFilter = {
  /** Each must be in the name, in whatever case. */
  words: string[]
  /** Null: any. */
  mimeTypes: string[] | null
}

/** How many files of a type there are, and what they count in the quota. */
export type FileTotal = { mimeType: string; files: number; bytes: number }

/** What a page of files needs of each: a caller may ask for hundreds of thousands a minute. */
export type ListedFile = Pick<
  FileRecord,
  'id' | 'filename' | 'mimeType' | 'size' | 'key' | 'state' | 'thumbnailBytes' | 'createdAt'
>

export type FilePage = FileFilter & {
  sort: FileSort
  after: FileCursor | undefined
  endedAfter: Date
  limit: number
}

/**
 * The object store. Results that a caller can act on are values; a store that is down, slow, or answers
 * nonsense throws. Every call ends in bounded time, and at once when `signal` aborts.
 */
export type ObjectStore = {
  /** A PUT of exactly these bytes: type and length are signed. `from` (default: now) may make it expired already. */
  presignPut(
    key: string,
    contentType: string,
    size: number,
    valid: { seconds: number; from?: Date },
  ): Promise<Presigned>
  /** PUTs of parts of exactly these lengths, which all expire at the same time. */
  presignParts(
    key: string,
    uploadId: string,
    parts: { partNumber: number; size: number }[],
    seconds: number,
  ): Promise<{ urls: string[]; expiresAt: Date }>
  presignGet(
    key: string,
    answer: { contentType: string; contentDisposition: string },
    seconds: number,
    method?: 'GET' | 'HEAD',
  ): Promise<Presigned>

  /** Null: no object there. */
  head(key: string, signal: AbortSignal): Promise<ObjectInfo | null>
  /** As `head`, with the first `count` bytes (all, if the object is shorter), in one request. */
  inspect(key: string, count: number, signal: AbortSignal): Promise<InspectedObject | null>
  /**
   * Copies within the store, without the source's metadata. `changed`: the source has another ETag, or is gone.
   * `unsure`: check whether the copy exists.
   */
  copy(
    source: { key: string; etag: string },
    target: { key: string; contentType: string },
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /** One page of the objects under a prefix, by key: those behind `after`, and whether there are `more`. */
  list(
    prefix: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<{ objects: ListedObject[]; more: boolean }>
  /** Removes objects, whether they exist or not; returns the keys that could not be removed. */
  remove(keys: string[], signal: AbortSignal): Promise<string[]>

  createUpload(key: string, contentType: string, signal: AbortSignal): Promise<string>
  /** All pages, ascending; null: no such upload (never was, completed or aborted). */
  listParts(key: string, uploadId: string, signal: AbortSignal): Promise<StoredPart[] | null>
  /** Whether the store lists the upload as unfinished: a second opinion, before an upload is given up. */
  isUploadListed(key: string, uploadId: string, signal: AbortSignal): Promise<boolean>
  /** `changed`: the store has other parts than these. `unsure`: check whether the object exists. */
  completeUpload(
    key: string,
    uploadId: string,
    parts: StoredPart[],
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /**
   * Repeats until the store has no part of it: a part in flight may survive one abort. If the upload was completed,
   * the object may be removed too: some stores keep the parts as long as it is there.
   */
  abortUpload(key: string, uploadId: string, signal: AbortSignal): Promise<void>
  /** Aborts all uploads of this key (for an initiation whose answer was lost). */
  abortUploadsOf(key: string, signal: AbortSignal): Promise<void>
}

/** Logs what an operator should see although no caller gets an error. */
export type Report = (event: string, details: Record<string, unknown>) => void

export type FileUrls = { baseUrl: string; publicUrl: string | undefined }

/** What confirmation does with content of no type that it recognizes: `lenient` accepts it, `strict` refuses it. */
export type ContentCheck = 'lenient' | 'strict'

export type UploadSettings = {
  defaultQuotaBytes: number
  /** How many unfinished uploads a user may have. */
  maxOpenUploads: number
  /** Users who sign in here have no quota before they have proven their email. */
  verifiedOnly: boolean
  /** How many parts the store takes for one upload. */
  maxParts: number
  pendingTtlSeconds: number
  multipartTtlSeconds: number
  contentCheck: ContentCheck
}

/** What the use cases work with. */
export type UploadDeps = {
  repo: UploadRepo
  store: ObjectStore
  clock: Clock
  urls: FileUrls
  settings: UploadSettings
  report: Report
}
