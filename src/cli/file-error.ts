const NO_PERMISSION = 'you have no permission. Change the permissions, or use another folder'
const FILE_IN_THE_WAY = 'a folder of this path is a file. Move or delete that file'

/** Causes of a failed access to a file, and what to do, by the error's code. */
const REASONS: Record<string, string> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: 'the file system is read-only. Use another folder',
  ENOSPC: 'the disk is full. Free some space',
  EEXIST: FILE_IN_THE_WAY,
  ENOTDIR: FILE_IN_THE_WAY,
}

/** Returns the message for a failed access to a file; undefined for other errors. */
export function describeFileError(error: unknown): string | undefined {
  const { path, code = '' } = error as NodeJS.ErrnoException
  return path !== undefined && REASONS[code] ? `Cannot use ${path}: ${REASONS[code]}.` : undefined
}
