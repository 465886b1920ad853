import type { FileRecord } from './file-record.ts'
import { fileIdOf, STAGING_PREFIX } from './keys.ts'
import type { ListedObject } from './object-store.ts'
import type { UploadDeps } from './upload-deps.ts'

/** Pages of up to 1,000 objects per round, so that the number of calls is bounded. */
const MAX_PAGES = 10
const STORE_TIMEOUT_MS = 20_000

/**
 * Returns a function that runs one round and returns the number of removed objects. It removes staged objects that cannot
 * stay until their URL expires: those larger than declared, and those whose upload no longer waits for bytes. On a store
 * that accepts an unsigned `x-amz-copy-source`, a PUT of one byte can become a copy of gigabytes. A round continues where
 * the previous one ended. Objects without a row stay: after a database restore, they could be uploads.
 */
export function createStagingCleanup({ repo, store, report }: UploadDeps): () => Promise<number> {
  let after: string | undefined

  async function cleanPage(signal: AbortSignal): Promise<number> {
    const { objects, more } = await store.list(STAGING_PREFIX, after, signal)
    after = more ? objects.at(-1)?.key : undefined
    const files = await repo.findAll(objects.map(({ key }) => fileIdOf(key)).filter((id) => id !== undefined))
    // By ID, because a READY file can have another key than its upload had.
    const found = new Map(files.map((file) => [file.id, file]))
    const fileOf = ({ key }: ListedObject) => found.get(fileIdOf(key) ?? '')
    const excess = objects.filter((object) => isExcess(object, fileOf(object)))
    if (excess.length === 0) return 0
    const large = excess.find((object) => object.size > fileOf(object)!.size)
    if (large) {
      const { id: fileId, userId, size: declared } = fileOf(large)!
      const details = { fileId, userId, size: large.size, declared }
      report(
        'staged object larger than declared: the store accepts unsigned x-amz-copy-source headers',
        details,
      )
    }
    const keys = excess.map(({ key }) => key)
    return keys.length - (await store.remove(keys, signal)).size
  }

  return async () => {
    let removed = 0
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        removed += await cleanPage(AbortSignal.timeout(STORE_TIMEOUT_MS))
        if (after === undefined) break
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
