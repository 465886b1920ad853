import type { z } from 'zod'
import { isId } from '../ids.ts'
import { notFound } from './errors.ts'
import type { UploadDeps } from './ports.ts'
import type { renameFileInput } from './schema.ts'

/** Changes the name that lists and downloads show; the key, and so a public URL, stays. */
export async function renameFile(
  deps: Pick<UploadDeps, 'repo'>,
  userId: string,
  { fileId, filename }: z.output<typeof renameFileInput>,
): Promise<{ success: true }> {
  if (!isId(fileId) || !(await deps.repo.rename(fileId, userId, filename))) throw notFound()
  return { success: true }
}
