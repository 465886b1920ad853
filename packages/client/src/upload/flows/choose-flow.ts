import { PART_BYTES, SIMPLE_MAX_BYTES } from '../../limits.ts'
import { mostParts } from '../../parts.ts'

/**
 * With more parts, additional calls cost more than smaller retries save. Files up to 1.25 GB have parts of the
 * smallest size; a file of 5 GB has 256 parts of 20 MB.
 */
const PREFERRED_MAX_PARTS = 256

export function kindOf(size: number): 'simple' | 'multipart' {
  return size <= SIMPLE_MAX_BYTES ? 'simple' : 'multipart'
}

/** How many parts a file of this size is split into, for parts of at least `partBytes`. */
export function chooseTotalParts(size: number, partBytes: number = PART_BYTES): number {
  const wanted = Math.ceil(size / Math.max(partBytes, PART_BYTES))
  return Math.max(1, Math.min(wanted, mostParts(size), PREFERRED_MAX_PARTS))
}
