import { PART_BYTES, SIMPLE_MAX_BYTES } from '../../limits.ts'
import { mostParts, type PartPlan, partLength } from '../../parts.ts'

/**
 * With more parts, additional calls cost more than smaller retries save. Files up to 1.25 GB have parts of the
 * smallest size; a file of 5 GB has 256 parts of 20 MB.
 */
const MOST_PARTS = 256

export function kindOf(size: number): 'simple' | 'multipart' {
  return size <= SIMPLE_MAX_BYTES ? 'simple' : 'multipart'
}

/** How many parts a file of this size is split into, for parts of at least `partBytes`. */
export function chooseTotalParts(size: number, partBytes: number = PART_BYTES): number {
  const wanted = Math.ceil(size / Math.max(partBytes, PART_BYTES))
  return Math.max(1, Math.min(wanted, mostParts(size), MOST_PARTS))
}

/** Bytes of a part from `start` to `end` (exclusive). */
export function rangeOf(parts: PartPlan, partNumber: number): { start: number; end: number } {
  const start = (partNumber - 1) * parts.partSize
  return { start, end: start + partLength(parts, partNumber) }
}

export function bytesOf(parts: PartPlan, partNumbers: Iterable<number>): number {
  let bytes = 0
  for (const n of partNumbers) bytes += partLength(parts, n)
  return bytes
}
