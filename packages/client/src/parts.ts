import { MIB, PART_BYTES } from './limits.ts'

/** Parts of a file. Every part has `partSize` bytes except the last, which has the rest (at least 1). */
export type PartPlan = { size: number; totalParts: number; partSize: number }

/** Returns the maximum number of parts of a file: only the last can be smaller than `partBytes`, 5 MiB by default. */
export function maxParts(size: number, partBytes = PART_BYTES): number {
  return Math.ceil(size / partBytes)
}

/** Returns 5 MiB, or the smallest multiple of 1 MiB with which the file has at most `storeMaxParts` parts. */
export function partBytesFor(size: number, storeMaxParts: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / storeMaxParts / MIB) * MIB)
}

/**
 * Plans 1 to `maxParts(size, partBytes)` parts. With fewer than the maximum, parts are larger than `partBytes`. Rounding their size up
 * takes less than one byte per part from the last one, which therefore has at least 1 byte
 * (tests/unit/upload-parts.test.ts).
 */
export function planParts(size: number, totalParts: number, partBytes = PART_BYTES): PartPlan {
  return {
    size,
    totalParts,
    partSize: totalParts === maxParts(size, partBytes) ? partBytes : Math.ceil(size / totalParts),
  }
}

/** Returns the bytes of part `partNumber` (from 1). */
export function partLength(plan: PartPlan, partNumber: number): number {
  return Math.min(plan.partSize, plan.size - (partNumber - 1) * plan.partSize)
}

/** Returns the part numbers, 1 to totalParts. */
export function partNumbers(plan: { totalParts: number }): number[] {
  return Array.from({ length: plan.totalParts }, (_, i) => i + 1)
}

/** Returns the range of a part, from `start` to `end` (exclusive). */
export function rangeOf(parts: PartPlan, partNumber: number): { start: number; end: number } {
  const start = (partNumber - 1) * parts.partSize
  return { start, end: start + partLength(parts, partNumber) }
}

export function bytesOf(parts: PartPlan, partNumbers: Iterable<number>): number {
  let bytes = 0
  for (const n of partNumbers) bytes += partLength(parts, n)
  return bytes
}
