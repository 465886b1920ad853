import type { FileRecord } from './file-record.ts'
import type { Visibility } from './schema.ts'

/** File in the trash. */
export type TrashedFile = Pick<
  FileRecord,
  'id' | 'filename' | 'mimeType' | 'size' | 'policy' | 'data' | 'createdAt'
> & {
  trashedAt: Date
  /** Time at which it is permanently deleted. */
  expiresAt: Date
}

/** Port for the trash. Its files are hidden from all other methods that omit deleted files. */
export type TrashRepo = {
  /**
   * Hides a READY file and keeps its object and thumbnail; its bytes become reserved. If the file's policy lets it
   * expire before `expiresAt`, it leaves the trash then. False if the owner has no such READY file, or
   * `hasPublicFiles` and it is not private.
   */
  moveToTrash(
    id: string,
    userId: string,
    change: { at: Date; expiresAt: Date; wasPublic: boolean; hasPublicFiles: boolean },
  ): Promise<boolean>
  /** Saves the visibility that a READY file gets back when it is restored. Null: the one that it has in the trash. */
  setTrashVisibility(id: string, userId: string, visibility: Visibility | null): Promise<void>
  /**
   * Makes the file READY again. With `publicKey`, also records the move to that key, which the caller starts next.
   * Null if it is not in the trash, or the owner has `maxPolicyFiles` files of its policy.
   */
  restore(
    id: string,
    userId: string,
    change: { at: Date; maxPolicyFiles: number | null; publicKey: string | null },
  ): Promise<FileRecord | null>
  /** Most recently deleted first. */
  listTrash(
    userId: string,
    page: { at: Date; before: { trashedAt: Date; id: string } | undefined; limit: number },
  ): Promise<TrashedFile[]>
  /** `bytes`: share of the quota that the files take. */
  trashTotals(userId: string, at: Date): Promise<{ files: number; bytes: number }>
  /**
   * Deletes up to `limit` files that were in the user's trash at `at`, and makes their cleanup due. Returns their
   * number.
   */
  emptyTrash(userId: string, at: Date, limit: number): Promise<number>
  /**
   * Deletes up to `limit` files of any user whose time in the trash has ended, and makes their cleanup due. Returns
   * their number.
   */
  deleteExpiredTrash(at: Date, limit: number): Promise<number>
}
