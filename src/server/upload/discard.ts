import type { UploadDeps } from './deps.ts'
import type { FileRecord } from './ports.ts'

/** Longer is not waited for: the answer is decided, and the sweeper removes what stays. */
const PATIENCE_MS = 5_000

/** Removes objects that the row does not stand for any more; true if they are gone. */
export async function removeNow(deps: UploadDeps, file: FileRecord, keys: string[]): Promise<boolean> {
  try {
    const left = await deps.store.remove(keys, AbortSignal.timeout(PATIENCE_MS))
    if (left.length === 0) return true
    deps.report('objects left to the sweeper', { fileId: file.id, count: left.length })
  } catch (error) {
    deps.report('objects left to the sweeper', { fileId: file.id, error })
  }
  return false
}
