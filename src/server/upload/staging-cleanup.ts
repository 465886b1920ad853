import { fileIdOf, STAGING_PREFIX, stagingKey } from './keys.ts'
import type { FileRecord, ListedObject, ObjectStore, Report, UploadRepo } from './ports.ts'

/** Pages of up to 1,000 objects that one round looks at: its calls are bounded, whatever is staged. */
const MAX_PAGES = 10
const STORE_TIMEOUT_MS = 20_000

export type StagingCleanupDeps = {
  repo: Pick<UploadRepo, 'findAll'>
  store: Pick<ObjectStore, 'list' | 'remove'>
  report: Report
}

/**
 * Returns a round that removes staged objects which may not stay until their URL has expired, and returns their
 * number: those larger than declared, and those of uploads that wait for no bytes any more. On a store that accepts an
 * unsigned `x-amz-copy-source` a PUT of one byte can become a copy of gigabytes. A round goes on where the one before
 * ended. Objects without a row stay: after a restore of the database they may be uploads.
 */
export function createStagingCleanup({ repo, store, report }: StagingCleanupDeps): () => Promise<number> {
  let after: string | undefined

  async function cleanPage(signal: AbortSignal): Promise<{ removed: number; more: boolean }> {
    const { objects, more } = await store.list(STAGING_PREFIX, after, signal)
    after = more ? objects.at(-1)?.key : undefined
    const files = await repo.findAll(objects.map(({ key }) => fileIdOf(key)).filter((id) => id !== undefined))
    const fileOf = new Map(files.map((file) => [stagingKey(file.key), file]))
    const excess = objects.filter((object) => isExcess(object, fileOf.get(object.key)))
    if (excess.length === 0) return { removed: 0, more }
    const large = excess.find(({ key, size }) => size > fileOf.get(key)!.size)
    if (large)
      report('staged object larger than declared: the store accepts unsigned x-amz-copy-source headers', {
        fileId: fileOf.get(large.key)!.id,
        userId: fileOf.get(large.key)!.userId,
        size: large.size,
        declared: fileOf.get(large.key)!.size,
      })
    const left = await store.remove(
      excess.map(({ key }) => key),
      signal,
    )
    return { removed: excess.length - left.length, more }
  }

  return async () => {
    let removed = 0
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const cleaned = await cleanPage(AbortSignal.timeout(STORE_TIMEOUT_MS))
        removed += cleaned.removed
        if (!cleaned.more) break
      }
    } catch (error) {
      report('staging not checked', { error })
    }
    return removed
  }
}

function isExcess(object: ListedObject, file: FileRecord | undefined): boolean {
  return (
    file !== undefined && (file.state !== 'PENDING' || file.deletedAt !== null || object.size > file.size)
  )
}
