import type { Visibility } from './schema.ts'

/** Object that a file does not refer to. */
export type FileMove = {
  key: string
  fileId: string
  /** Visibility that the file gets with this key. Null: the object only has to be removed. */
  visibility: Visibility | null
  /** The store's multipart upload, for a copy in parts. */
  uploadId: string | null
  removedAt: Date | null
}

/** `userId` is null if the file has been deleted or is not READY. */
export type DueMove = FileMove & { userId: string | null }

/** Port for moves. Methods with a lease change nothing if it was lost. */
export type FileMoveRepo = {
  /** Null: no move of the file is unfinished. */
  findMove(fileId: string): Promise<FileMove | null>
  /** Finds objects of the file's earlier moves that have not been removed. */
  findLeftovers(fileId: string): Promise<FileMove[]>
  /** Returns false if the lease was lost. */
  beginMove(
    fileId: string,
    leaseId: string,
    move: { key: string; visibility: Visibility; dueAt: Date },
  ): Promise<boolean>
  saveCopyUpload(key: string, uploadId: string): Promise<void>
  /** Gives the file its new key, and leaves the old object to be removed. Ends the lease. False if it was lost. */
  finishMove(
    fileId: string,
    leaseId: string,
    move: { from: string; to: string; visibility: Visibility; etag: string; removeAt: Date },
  ): Promise<boolean>
  /** Leaves the copy to be removed. Returns false if the lease was lost. */
  cancelMove(fileId: string, leaseId: string, at: Date): Promise<boolean>
  /** Takes up to `limit` moves that are due at `now`, or whose files are deleted, and makes them due again at `retryAt`. */
  takeMoves(now: Date, retryAt: Date, limit: number): Promise<DueMove[]>
  /** `at`: time of the removal. `again`: when to remove the object again. Null: never, which drops the row. */
  recordMoveRemoval(key: string, at: Date, again: Date | null): Promise<void>
  recordMoveFailure(key: string, at: Date): Promise<void>
}
