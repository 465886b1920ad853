import { stagingKey } from './keys.ts'
import { isLive } from './lifecycle.ts'
import type { ObjectStore, Report, Stale } from './ports.ts'

/** Aborts under way at once; each is two calls. */
const ABORTS = 16

/**
 * Removes from the store what these rows do not stand for: staged bytes, objects of ended or deleted files,
 * unfinished uploads. Tells the ids of rows that are not clean afterwards.
 */
export async function cleanStore(
  store: ObjectStore,
  rows: Stale[],
  signal: AbortSignal,
  report: Report,
): Promise<Set<string>> {
  const failed = new Set<string>()
  const fail = (ids: string[], error: unknown) => {
    for (const id of ids) failed.add(id)
    report('store not cleaned', { count: ids.length, fileId: ids[0], error })
  }

  const uploads = rows.filter((row) => row.totalParts !== null && row.state !== 'READY')
  const queue = uploads.values()
  const worker = async () => {
    for (const row of queue) {
      try {
        if (row.uploadId) await store.abortUpload(row.key, row.uploadId, signal)
        else await store.abortUploadsOf(row.key, signal)
      } catch (error) {
        fail([row.id], error)
      }
    }
  }
  await Promise.all(Array.from({ length: ABORTS }, worker))

  const owner = new Map<string, string>()
  for (const row of rows) {
    if (row.totalParts === null) owner.set(stagingKey(row.key), row.id)
    if (!isLive(row)) owner.set(row.key, row.id)
  }
  try {
    const left = await store.remove([...owner.keys()], signal)
    if (left.length > 0)
      fail(
        left.map((key) => owner.get(key)!),
        new Error('the store refused to remove objects'),
      )
  } catch (error) {
    fail([...new Set(owner.values())], error)
  }
  return failed
}
