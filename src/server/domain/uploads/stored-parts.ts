import { type PartPlan, partLength, partNumbers } from '@pigeonhole/client/parts'
import type { FileRecord } from './file-record.ts'
import type { StoredPart } from './object-store.ts'

export function planOf(file: FileRecord): PartPlan {
  if (file.totalParts === null || file.partSize === null) throw new Error('not a multipart upload')
  return { size: file.size, totalParts: file.totalParts, partSize: file.partSize }
}

/** Returns how the store's parts differ from the plan, as a message and as data, or undefined if they match. */
export function partsMismatch(file: FileRecord, stored: StoredPart[], recorded: ReadonlyMap<number, string>) {
  const plan = planOf(file)
  const { totalParts, partSize } = plan
  const storedNumbers = new Set(numbersOf(stored))
  const missing = partNumbers(plan).filter((n) => !storedNumbers.has(n))
  const beyond = numbersOf(stored.filter((part) => part.partNumber > totalParts))
  const planned = stored.filter((part) => part.partNumber <= totalParts)
  const wrongSize = numbersOf(planned.filter((part) => part.size !== partLength(plan, part.partNumber)))
  const wrongEtag = numbersOf(
    planned.filter(({ partNumber, etag }) => (recorded.get(partNumber) ?? etag) !== etag),
  )
  const sentences: string[] = []
  if (missing.length > 0)
    sentences.push(`Parts missing in the object store: ${firstFew(missing)}. Upload them.`)
  if (wrongSize.length > 0)
    sentences.push(
      `Parts of the wrong size: ${firstFew(wrongSize)} (each must have ${partSize} bytes, the last one ${partLength(plan, totalParts)}). Upload them again.`,
    )
  if (wrongEtag.length > 0)
    sentences.push(
      `Parts whose recorded ETag is not the stored one: ${firstFew(wrongEtag)}. Upload them again, or record the right ETag with upload.completePart.`,
    )
  if (beyond.length > 0)
    sentences.push(
      `Parts beyond the planned ${totalParts}: ${firstFew(beyond)}. Abort and start a new upload.`,
    )
  if (sentences.length === 0) return undefined
  const wrongParts = [...new Set([...wrongSize, ...wrongEtag])].sort((a, b) => a - b)
  return {
    message: sentences.join(' '),
    data: {
      ...(missing.length > 0 && { missingParts: missing }),
      ...(wrongParts.length > 0 && { wrongParts }),
    },
  }
}

/** Part that the client does not have to send again. `etag` has no quotes. */
export type UploadedPart = { partNumber: number; size: number; etag: string }

/** Returns the recorded parts, and the stored parts of the planned size, ascending. */
export function uploadedParts(file: FileRecord, stored: StoredPart[], recorded: ReadonlyMap<number, string>) {
  const plan = planOf(file)
  const etags = new Map(recorded)
  for (const { partNumber, size, etag } of stored)
    if (partNumber <= plan.totalParts && size === partLength(plan, partNumber)) etags.set(partNumber, etag)
  return [...etags]
    .map(([partNumber, etag]) => ({ partNumber, size: partLength(plan, partNumber), etag }))
    .sort((a, b) => a.partNumber - b.partNumber)
}

/** Formats at most 20 items of a list. */
export function firstFew(list: number[]): string {
  return list.length > 20 ? `${list.slice(0, 20).join(', ')} and ${list.length - 20} more` : list.join(', ')
}

const numbersOf = (parts: StoredPart[]) => parts.map((part) => part.partNumber)
