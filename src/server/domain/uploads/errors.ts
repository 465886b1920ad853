import { formatCount } from '@pigeonhole/client/format'
import { AppError, type ErrorData } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { FileRecord, FileState } from './file-record.ts'
import type { UploadDeps } from './upload-deps.ts'
import type { Usage } from './upload-repo.ts'

export const notFound = () => new AppError('NOT_FOUND', 'File not found. It may have been deleted.')

export const notAccepted = () =>
  new AppError('NOT_FOUND', 'The file is being checked. It can be read once it is accepted.')

export const badRequest = (message: string, data?: ErrorData) =>
  new AppError('BAD_REQUEST', message, { data })

export const busy = () =>
  new AppError(
    'INTERNAL_SERVER_ERROR',
    'Another request is still processing this file. Try again in a few seconds.',
    { data: { reason: 'busy' } },
  )

export function quotaExceeded(usage: Usage, size: number): AppError {
  const free = Math.max(0, usage.quota - usage.used - usage.reserved)
  return new AppError(
    'QUOTA_EXCEEDED',
    `The file needs ${formatCount(size, 'byte')}, but your quota has only ${formatCount(free, 'byte')} left ` +
      `(${usage.quota} in total: ${usage.used} used, ${usage.reserved} reserved by uploads in progress and the trash). Delete files, empty the trash, or finish or abort uploads.`,
    { data: { reason: 'quota' } },
  )
}

export const tooManyFiles = (policy: string, max: number, files: number) =>
  new AppError(
    'QUOTA_EXCEEDED',
    `Policy "${policy}" allows at most ${formatCount(max, 'file')} per user, and you have ${files}, including unfinished uploads. Delete one, or abort an upload.`,
    { data: { reason: 'too_many_files' } },
  )

const STATE_MESSAGES: Partial<Record<FileState, string>> = {
  REJECTED: 'The upload was rejected. Start a new upload.',
  ABORTED: 'The upload was aborted. Start a new upload.',
  EXPIRED: 'The upload has expired. Start a new upload.',
  READY: 'The upload is already complete.',
  HELD: 'The upload is already complete.',
}

/** Creates the error of an operation that needs an unfinished upload. */
export const wrongState = ({ state, rejectReason }: FileRecord) =>
  badRequest(rejectReason ?? STATE_MESSAGES[state] ?? `The upload is ${state}.`)

export type UploadKind = 'simple' | 'multipart'

export const kindOf = ({ totalParts }: Pick<FileRecord, 'totalParts'>): UploadKind =>
  totalParts === null ? 'simple' : 'multipart'

/** @throws AppError BAD_REQUEST if the upload is of the other kind, which has its own procedures */
export function requireKind(file: FileRecord, kind: UploadKind): void {
  const actual = kindOf(file)
  if (actual === kind) return
  throw badRequest(
    actual === 'simple'
      ? 'This is a simple upload: PUT the bytes to its uploadUrl and call upload.confirmUpload, or files.delete to discard it.'
      : 'This is a multipart upload: upload its parts and call upload.completeMultipart.',
  )
}

/** Returns the user's file. @throws AppError NOT_FOUND */
export async function requireFile(
  { repo }: Pick<UploadDeps, 'repo'>,
  userId: string,
  fileId: string,
  withDeleted = false,
): Promise<FileRecord> {
  const file = isId(fileId) ? await repo.find(fileId, userId, withDeleted) : null
  if (!file) throw notFound()
  return file
}
