import type { FILE_STATES } from './schema.ts'

// The field's words. Staged: under `staging/`, where a presigned PUT may still change it. Final: at the file's
// key, where nobody but this service writes. Lease: the right to work on one file across store and database.
// Held: what a row counts in its owner's quota, as reserved (may still land) or used (is there).

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
  /** Null: a simple upload, or a multipart one whose initiation is not finished. */
  uploadId: string | null
  /** Null: a simple upload. */
  totalParts: number | null
  partSize: number | null
  etag: string | null
  rejectReason: string | null
  reserved: number
  used: number
  /** Until when some presigned PUT of a simple upload may be used. */
  urlExpiresAt: Date | null
  expiresAt: Date | null
  deletedAt: Date | null
  createdAt: Date
}

export type NewFile = Pick<
  FileRecord,
  'id' | 'userId' | 'filename' | 'mimeType' | 'size' | 'key' | 'totalParts' | 'partSize' | 'urlExpiresAt'
> & { state: 'PENDING' | 'UPLOADING'; expiresAt: Date; createdAt: Date }

export type Usage = { used: number; reserved: number; quota: number }

/** How an upload ends without a file. */
export type Ending = {
  state: 'ABORTED' | 'EXPIRED' | 'REJECTED'
  rejectReason?: string
  /** From when the sweeper looks at what is left in the store; null: nothing is. */
  cleanupAfter: Date | null
  /** Gives the reservation back now: nothing can land any more, and nothing is there. */
  release: boolean
  deletedAt?: Date
}

/** A row that the sweeper has taken. */
export type Stale = FileRecord & { ownerDeleted: boolean }

/** What the sweeper found out about a row it took. */
export type Settled = {
  id: string
  /** Gives back what the row still holds of the quota. */
  release: boolean
  /** When to look again; null: never. */
  next: Date | null
  /** Removes the row (a tombstone whose time is over). */
  drop: boolean
}

export type UploadRepo = {
  /** In one statement: reserves `size` of the owner's quota and inserts the row; false if it does not fit. */
  reserve(file: NewFile, defaultQuota: number): Promise<boolean>
  /** Null: no such user. */
  usage(userId: string, defaultQuota: number): Promise<Usage | null>
  /** Finishes the initiation of a multipart upload; false if the row was given up meanwhile. */
  attachUpload(id: string, uploadId: string, expiresAt: Date): Promise<boolean>
  /** Gives up an initiation that nobody was told of: nothing can land any more. */
  discard(id: string, now: Date): Promise<void>

  /** The owner's file; deleted ones only `withDeleted`. */
  find(id: string, userId: string, withDeleted?: boolean): Promise<FileRecord | null>
  /** Newest first, without deleted ones. */
  list(userId: string, before: string | undefined, limit: number): Promise<FileRecord[]>

  /** Takes the lease if the file is in `state`, of this kind, and nobody holds it; else null. */
  acquire(id: string, userId: string, lease: Lease, state: FileState): Promise<FileRecord | null>
  /** False: the lease was lost. */
  renew(id: string, lease: Lease): Promise<boolean>
  /** False: it was not held any more. */
  release(id: string, leaseId: string): Promise<boolean>

  /** The held reservation becomes used; false if the lease was lost. */
  markReady(id: string, leaseId: string, etag: string, at: Date, cleanupAfter: Date | null): Promise<boolean>
  /** False if the lease was lost. */
  markEnded(id: string, leaseId: string, ending: Ending): Promise<boolean>
  /** Gives back what an ended or deleted file holds, once. `cleanupAfter` null: nothing more to clean. */
  giveBack(id: string, cleanupAfter: Date | null): Promise<void>
  /** Hides the owner's file unless it is PENDING or UPLOADING, and makes its cleanup due. Null: there is none to hide. */
  markDeleted(id: string, userId: string, at: Date): Promise<FileRecord | null>

  /** Hides all files of a user and makes their cleanup due; tells how many are still worked on and were left out. */
  markAllDeleted(userId: string, at: Date): Promise<number>

  /** Records a part of an UPLOADING file (again: replaces), and tells all recorded ones; null: no such file in that state. */
  recordPart(id: string, userId: string, partNumber: number, etag: string): Promise<number[] | null>
  /** Part number to plain ETag. */
  recordedParts(id: string): Promise<Map<number, string>>

  /** Turns up to `limit` overdue uploads that nobody works on into EXPIRED, to be cleaned from `now` on. */
  expire(now: Date, limit: number): Promise<number>
  /** Takes up to `limit` rows (of one user) whose cleanup is due. */
  takeStale(now: Date, lease: Lease, limit: number, userId?: string): Promise<Stale[]>
  /** Writes down what became of them, and gives up the lease. */
  settle(leaseId: string, settled: Settled[]): Promise<void>
}

export type Lease = { id: string; ms: number }

export type Presigned = { url: string; expiresAt: Date }
export type ObjectInfo = { size: number /** Plain. */; etag: string }
/** Of a call that may have been carried out although its answer is lost, late or an error. */
export type StoreOutcome = { outcome: 'done' | 'changed' } | { outcome: 'unsure'; cause: unknown }
export type StoredPart = { partNumber: number; size: number /** Plain. */; etag: string }

/**
 * The object store. What a caller can act on is a value; a store that is down, slow, or answers nonsense
 * throws. Every call ends in bounded time, and at once when `signal` aborts.
 */
export type ObjectStore = {
  /** A PUT of exactly these bytes: type and length are signed. */
  presignPut(key: string, contentType: string, size: number, seconds: number): Promise<Presigned>
  /** PUTs of parts of exactly these lengths, with one time of expiry. */
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
  /** The first `count` bytes (all, if the object is shorter) of the object that has this ETag. */
  leadingBytes(
    key: string,
    object: ObjectInfo,
    count: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | 'changed'>
  /**
   * Server-side; the copy has our own metadata only. `changed`: the source is not `etag` any more, or gone.
   * `unsure`: look whether the copy is there.
   */
  copy(
    from: string,
    etag: string,
    to: string,
    contentType: string,
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /** Removes objects, there or not; tells which it could not. */
  remove(keys: string[], signal: AbortSignal): Promise<string[]>

  createUpload(key: string, contentType: string, signal: AbortSignal): Promise<string>
  /** All pages, ascending; null: no such upload (never was, completed or aborted). */
  listParts(key: string, uploadId: string, signal: AbortSignal): Promise<StoredPart[] | null>
  /** `unsure`: look whether the object is there. `changed`: the parts are not those any more. */
  completeUpload(
    key: string,
    uploadId: string,
    parts: StoredPart[],
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /** Until the store knows no part of it: a part in flight may outlive one abort. */
  abortUpload(key: string, uploadId: string, signal: AbortSignal): Promise<void>
  /** Aborts whatever was begun for this key (an initiation whose answer was lost). */
  abortUploadsOf(key: string, signal: AbortSignal): Promise<void>
}

/** What an operator should see in the log, though no caller is told. */
export type Report = (event: string, details: Record<string, unknown>) => void
