import { type PartPlan, partLength, partNumbers } from '@pigeonhole/client/parts'
import type { ErrorData } from '../errors.ts'
import type { FileRecord, StoredPart } from './ports.ts'

/** The plan of a multipart upload's row. */
export function planOf(file: FileRecord): PartPlan {
  if (file.totalParts === null || file.partSize === null) throw new Error('not a multipart upload')
  return { size: file.size, totalParts: file.totalParts, partSize: file.partSize }
}

/** How the parts in the store differ from the plan, as a message and as data; undefined if they match. */
export function partsMismatch(
  file: FileRecord,
  stored: StoredPart[],
  recorded: ReadonlyMap<number, string>,
): { message: string; data: ErrorData } | undefined {
  const plan = planOf(file)
  const there = new Set(stored.map((part) => part.partNumber))
  const planned = stored.filter((part) => part.partNumber <= plan.totalParts)
  const missing = partNumbers(plan).filter((n) => !there.has(n))
  const beyond = stored.filter((part) => part.partNumber > plan.totalParts)
  const wrongSize = planned.filter((part) => part.size !== partLength(plan, part.partNumber))
  const wrongEtag = planned.filter(
    (part) => recorded.has(part.partNumber) && recorded.get(part.partNumber) !== part.etag,
  )
  const sentences: string[] = []
  const numbers = (parts: StoredPart[]) => firstFew(parts.map((part) => part.partNumber))
  if (missing.length > 0)
    sentences.push(`Parts missing in the object store: ${firstFew(missing)}. Upload them.`)
  if (wrongSize.length > 0)
    sentences.push(
      `Parts of the wrong size: ${numbers(wrongSize)} (all have ${plan.partSize} bytes, the last ${partLength(plan, plan.totalParts)}). Upload them again.`,
    )
  if (wrongEtag.length > 0)
    sentences.push(
      `Parts whose recorded ETag is not the stored one: ${numbers(wrongEtag)}. Upload them again, or record the right ETag with upload.completePart.`,
    )
  if (beyond.length > 0)
    sentences.push(
      `Parts beyond the planned ${plan.totalParts}: ${numbers(beyond)}. Abort and start a new upload.`,
    )
  if (sentences.length === 0) return undefined
  const wrongParts = [...new Set([...wrongSize, ...wrongEtag].map((part) => part.partNumber))].sort(
    (a, b) => a - b,
  )
  return {
    message: sentences.join(' '),
    data: {
      ...(missing.length > 0 && { missingParts: missing }),
      ...(wrongParts.length > 0 && { wrongParts }),
    },
  }
}

/** A part that the client need not send again. `etag` is unquoted. */
export type UploadedPart = { partNumber: number; size: number; etag: string }

/** The recorded parts, and those in the store that have the planned size; ascending. */
export function uploadedParts(
  file: FileRecord,
  stored: StoredPart[],
  recorded: ReadonlyMap<number, string>,
): UploadedPart[] {
  const plan = planOf(file)
  const etags = new Map(recorded)
  for (const { partNumber, size, etag } of stored)
    if (partNumber <= plan.totalParts && size === partLength(plan, partNumber)) etags.set(partNumber, etag)
  return [...etags]
    .map(([partNumber, etag]) => ({ partNumber, size: partLength(plan, partNumber), etag }))
    .sort((a, b) => a.partNumber - b.partNumber)
}

/** At most 20 of a list, for a message to a user. */
export function firstFew(list: (number | string)[]): string {
  return list.length > 20 ? `${list.slice(0, 20).join(', ')} and ${list.length - 20} more` : list.join(', ')
}
