import { newIdempotencyKey } from '../upload/api/idempotency-key.ts'
import type { UppyFileLike, UppyLike } from './types.ts'

/** Upload of an Uppy file on the server. Kept in Uppy's state, so that plugins that restore files also restore it. */
export type ServerFile = {
  /** The same for every attempt until Uppy aborts the upload, so that a lost response reserves no quota twice. */
  idempotencyKey: string
  /** Null until the server has responded. */
  fileId: string | null
  kind: 'simple' | 'multipart'
  ready: boolean
}

type WithServerFile = UppyFileLike & { pigeonhole?: ServerFile }

export function serverFileOf(uppy: UppyLike, file: UppyFileLike): ServerFile | undefined {
  return ((uppy.getFile(file.id) ?? file) as WithServerFile).pigeonhole
}

/** Returns the file's ID on the server. @throws Error before the server has opened the upload */
export function fileIdOf(uppy: UppyLike, file: UppyFileLike): string {
  const fileId = serverFileOf(uppy, file)?.fileId
  if (!fileId) throw new Error('The upload has not been created on the server yet')
  return fileId
}

export function ensureServerFile(uppy: UppyLike, file: UppyFileLike, kind: ServerFile['kind']): ServerFile {
  const known = serverFileOf(uppy, file)
  if (known) return known
  const created = { idempotencyKey: newIdempotencyKey(), fileId: null, kind, ready: false }
  update(uppy, file, created)
  return created
}

/** Updates the state; has no effect on removed files. */
export function update(uppy: UppyLike, file: UppyFileLike, pigeonhole: ServerFile | undefined): void {
  if (uppy.getFile(file.id)) uppy.setFileState(file.id, { pigeonhole })
}
