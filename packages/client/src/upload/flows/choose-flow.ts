import { PART_BYTES, SIMPLE_MAX_BYTES } from '../../limits.ts'
import { maxParts } from '../../parts.ts'

/**
 * Beyond this number, additional calls cost more than smaller retries save. Files up to 1.25 GB have parts of the
 * smallest size. A file of 5 GB has 256 parts of 20 MB.
 */
const PREFERRED_MAX_PARTS = 256

export function kindOf(size: number): 'simple' | 'multipart' {
  return size <= SIMPLE_MAX_BYTES ? 'simple' : 'multipart'
}

/** Returns the number of parts of a file, with parts of at least `partBytes`. */
export function chooseTotalParts(size: number, partBytes: number = PART_BYTES): number {
  const wanted = Math.ceil(size / Math.max(partBytes, PART_BYTES))
  return Math.max(1, Math.min(wanted, maxParts(size), PREFERRED_MAX_PARTS))
}
