import { MIB } from '@pigeonhole/client/limits'
import {
  maxParts as mostParts,
  type PartPlan,
  partBytesFor,
  partLength,
  partNumbers,
  planParts,
  rangeOf,
} from '@pigeonhole/client/parts'
import type { FileRecord } from './file-record.ts'
import { storedAs } from './file-url.ts'
import type { Lease } from './lease.ts'
import type { UploadDeps, UploadSettings } from './upload-deps.ts'

/** Maximum bytes per request when a file is copied in parts: stores copy this much within a call's timeout. */
const COPY_PART_BYTES = 256 * MIB
const CONCURRENT_PARTS = 8

/**
 * Copies a file's object to another key, where the copy has the file's headers. Returns the copy's ETag. A copy in parts
 * continues an earlier one.
 * @throws Error if the source is gone or has changed, and the store's errors
 */
export async function copyObject(
  deps: UploadDeps,
  file: FileRecord,
  target: { key: string; uploadId: string | null },
  lease: Lease,
): Promise<string> {
  const unsure =
    file.size > deps.settings.maxCopyBytes
      ? await copyParts(deps, file, target, lease)
      : await copyWhole(deps, file, target, lease)
  const copy = await deps.store.head(target.key, lease.signal)
  if (copy?.size === file.size) return copy.etag
  throw unsure ?? new Error('the store reported a copy, but has no object of this size')
}

/** Returns the error of a copy that the store may have made. */
async function copyWhole({ store }: UploadDeps, file: FileRecord, { key }: { key: string }, lease: Lease) {
  // Renew right before the copy, which must not arrive after the next holder has finished.
  await lease.renew()
  const copy = await store.copy(sourceOf(file), { key, ...storedAs(file) }, lease.signal)
  if (copy.outcome === 'changed') throw new Error('the object of the file is gone or has another ETag')
  return copy.outcome === 'unsure' ? copy.cause : undefined
}

async function copyParts(
  { store, repo, settings }: UploadDeps,
  file: FileRecord,
  target: { key: string; uploadId: string | null },
  lease: Lease,
): Promise<unknown> {
  const { key } = target
  const { signal } = lease
  const known = target.uploadId && (await store.listParts(key, target.uploadId, signal))
  // The upload has ended: an earlier attempt has completed it.
  if (target.uploadId && !known && (await store.head(key, signal))?.size === file.size) return undefined
  let uploadId = target.uploadId
  if (!uploadId || !known) {
    uploadId = await store.createUpload(key, storedAs(file), signal)
    await repo.saveCopyUpload(key, uploadId)
  }
  const plan = planCopy(file.size, settings)
  const copied = new Map((known || []).map((part) => [part.partNumber, part.size]))
  const missing = partNumbers(plan)
    .filter((partNumber) => copied.get(partNumber) !== partLength(plan, partNumber))
    .values()
  const upload = { key, uploadId }
  const worker = async () => {
    for (const partNumber of missing) {
      await lease.renew()
      await store.copyPart(sourceOf(file), rangeOf(plan, partNumber), { ...upload, partNumber }, signal)
    }
  }
  // Wait for all of them, so that no copy arrives after the lease has ended.
  const workers = await Promise.allSettled(Array.from({ length: CONCURRENT_PARTS }, worker))
  for (const result of workers) if (result.status === 'rejected') throw result.reason
  const parts = await store.listParts(key, uploadId, signal)
  if (parts?.length !== plan.totalParts) throw new Error('the store does not list all copied parts')
  await lease.renew()
  const completion = await store.completeUpload(key, uploadId, parts, signal)
  if (completion.outcome === 'changed') throw new Error('the copied parts have changed')
  return completion.outcome === 'unsure' ? completion.cause : undefined
}

/** Plans no more parts than the store accepts. */
export function planCopy(
  size: number,
  { maxCopyBytes, maxParts }: Pick<UploadSettings, 'maxCopyBytes' | 'maxParts'>,
): PartPlan {
  const partSize = Math.max(partBytesFor(size, maxParts), Math.min(maxCopyBytes, COPY_PART_BYTES))
  return planParts(size, mostParts(size, partSize), partSize)
}

const sourceOf = ({ key, etag }: FileRecord) => ({ key, etag: etag ?? '' })
