import { MIB, PART_BYTES, SIMPLE_MAX_BYTES } from '../../limits.ts'
import { maxParts, partBytesFor } from '../../parts.ts'

/**
 * Beyond this number, additional calls cost more than smaller retries save. Files up to 1.25 GB have parts of the
 * smallest size. A file of 5 GB has 256 parts of 20 MB.
 */
const PREFERRED_MAX_PARTS = 256
/** Files of more than 25 GB, which only a policy allows, have more parts, so that a failed one costs little. */
const PREFERRED_MAX_BYTES = 100 * MIB
/** Number of parts per upload that S3 accepts. */
export const S3_MAX_PARTS = 10_000

export function kindOf(size: number): 'simple' | 'multipart' {
  return size <= SIMPLE_MAX_BYTES ? 'simple' : 'multipart'
}

/** Returns the number of parts of a file, with parts of at least `partBytes`, for a store that accepts `storeMaxParts`. */
export function chooseTotalParts(
  size: number,
  partBytes: number = PART_BYTES,
  storeMaxParts: number = S3_MAX_PARTS,
): number {
  const smallest = partBytesFor(size, storeMaxParts)
  const wanted = Math.ceil(size / Math.max(partBytes, smallest))
  const preferred = Math.max(PREFERRED_MAX_PARTS, Math.ceil(size / PREFERRED_MAX_BYTES))
  return Math.max(1, Math.min(wanted, maxParts(size, smallest), preferred))
}
