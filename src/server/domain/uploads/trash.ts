import { z } from 'zod'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { readPage } from '../../kernel/page.ts'
import { busy, notFound, requireFile, tooManyFiles } from './errors.ts'
import { moveFile, publishNow } from './file-moves.ts'
import type { FileRecord } from './file-record.ts'
import { visibilityOf } from './file-url.ts'
import { finalKey } from './keys.ts'
import { fixedVisibility } from './policies.ts'
import type { TrashInput } from './schema.ts'
import type { Sweeper } from './sweeper.ts'
import type { UploadDeps } from './upload-deps.ts'

/** Time during which a deleted file can be restored. */
const TRASH_SECONDS = 30 * 24 * 60 * 60
/** Rows that one statement deletes. */
const BATCH = 1000
/** A concurrent change of the file's visibility causes another attempt. */
const MAX_ATTEMPTS = 5

/**
 * Moves a READY file to the trash. Files that are deleted or in the trash stay unchanged. A public file becomes private
 * first, because anyone can read objects below `public/`. A crash in between leaves a private file, and the next call
 * still knows that it was public. Returns false if the file is in another state.
 * @throws AppError NOT_FOUND; INTERNAL_SERVER_ERROR while a large public file is still being copied
 */
export async function moveToTrash(deps: UploadDeps, userId: string, fileId: string): Promise<boolean> {
  let wasPublic = false
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const file = await requireFile(deps, userId, fileId, true)
    if (file.deletedAt) return true
    if (file.state !== 'READY') return false
    const visibility = visibilityOf(deps.urls, file)
    const wanted = (await deps.repo.findMove(fileId))?.visibility ?? visibility
    wasPublic ||= wanted === 'public' || file.trashVisibility === 'public'
    if (visibility === 'public') {
      // For the next call, if this one fails halfway.
      if (wasPublic) await deps.repo.setTrashVisibility(fileId, userId, 'public')
      try {
        await moveFile(deps, { fileId, userId }, 'private')
      } catch (error) {
        // A concurrent call has deleted the file.
        if (error instanceof AppError && error.code === 'NOT_FOUND') continue
        throw error
      }
    }
    const at = deps.clock.now()
    const expiresAt = secondsAfter(at, TRASH_SECONDS)
    const hasPublicFiles = deps.urls.publicUrl !== undefined
    if (await deps.repo.moveToTrash(fileId, userId, { at, expiresAt, wasPublic, hasPublicFiles })) return true
  }
  throw busy()
}

/**
 * Restores a file from the trash. A file that was public gets a new public URL. A file that is not deleted stays unchanged.
 * @throws AppError NOT_FOUND if the file is permanently deleted; QUOTA_EXCEEDED if its policy allows no more files
 */
export async function restoreFile(deps: UploadDeps, userId: string, fileId: string): Promise<void> {
  const { repo, clock, settings, urls } = deps
  const file = await requireFile(deps, userId, fileId, true)
  if (!file.deletedAt) return
  if (!file.trashExpiresAt) throw notFound()
  const { policy, trashVisibility } = file
  const maxPolicyFiles = settings.policies.get(policy ?? '')?.maxFilesPerUser ?? null
  const fixed = fixedVisibility(settings.policies, file, urls.publicUrl)
  const publicKey =
    (fixed ?? trashVisibility) === 'public' && visibilityOf(urls, file) === 'private'
      ? finalKey(userId, fileId, file.filename, 'public')
      : null
  const restored = await repo.restore(fileId, userId, { at: clock.now(), maxPolicyFiles, publicKey })
  if (!restored) return requireRestored(deps, file, maxPolicyFiles)
  if (publicKey !== null) await publishNow(deps, restored)
}

/** Returns if a concurrent call has restored the file, else throws why it was not restored. */
async function requireRestored(
  deps: UploadDeps,
  { id, userId }: FileRecord,
  maxPolicyFiles: number | null,
): Promise<void> {
  const { deletedAt, trashExpiresAt, policy } = await requireFile(deps, userId, id, true)
  if (!deletedAt) return
  if (!trashExpiresAt || trashExpiresAt <= deps.clock.now()) throw notFound()
  if (policy === null || maxPolicyFiles === null) throw busy()
  throw tooManyFiles(policy, maxPolicyFiles, await deps.repo.countPolicyFiles(userId, policy))
}

const cursor = z.tuple([z.iso.datetime(), z.string().refine(isId)])

/** Lists files that can be restored, most recently deleted first. @throws AppError BAD_REQUEST for an invalid cursor */
export async function listTrash({ repo, clock }: UploadDeps, userId: string, page: TrashInput) {
  const { items, nextCursor } = await readPage(
    page,
    ({ beforeId, limit }) => {
      const [trashedAt, id] = beforeId === undefined ? [] : parseCursor(beforeId)!
      const before = trashedAt && id ? { trashedAt: new Date(trashedAt), id } : undefined
      return repo.listTrash(userId, { at: clock.now(), before, limit })
    },
    (text) => parseCursor(text) !== undefined,
    ({ trashedAt, id }) => `${trashedAt.toISOString()}_${id}`,
  )
  return {
    items: items.map(({ createdAt, trashedAt, expiresAt, ...file }) => ({
      ...file,
      createdAt: createdAt.toISOString(),
      trashedAt: trashedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })),
    nextCursor,
  }
}

const parseCursor = (text: string) => cursor.safeParse(text.split('_')).data

/**
 * Permanently deletes the files in the user's trash. Returns their number.
 * @throws AppError INTERNAL_SERVER_ERROR if the store failed: the files are deleted, and the sweeper removes their bytes
 */
export async function emptyTrash(
  deps: Pick<UploadDeps, 'repo' | 'clock'>,
  sweeper: Pick<Sweeper, 'sweep'>,
  userId: string,
): Promise<number> {
  const at = deps.clock.now()
  let deleted = 0
  for (;;) {
    const batch = await deps.repo.emptyTrash(userId, at, BATCH)
    deleted += batch
    if (batch < BATCH) break
  }
  if (deleted > 0 && (await sweeper.sweep(userId)).failed > 0)
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The trash is empty, but the object store did not respond. The space that its files used is released within minutes.',
    )
  return deleted
}
