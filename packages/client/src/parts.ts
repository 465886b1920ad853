import { PART_BYTES } from './limits.ts'

/** Parts of a file. Every part has `partSize` bytes except the last, which has the rest (at least 1). */
export type PartPlan = { size: number; totalParts: number; partSize: number }

/** Returns the maximum number of parts of a file: only the last can be smaller than 5 MiB. */
export function maxParts(size: number): number {
  return Math.ceil(size / PART_BYTES)
}

/**
 * Plans 1 to `maxParts(size)` parts. With fewer than the maximum, parts are larger than 5 MiB. Rounding their size up
 * takes less than one byte per part from the last one, which therefore has at least 1 byte
 * (tests/unit/upload-parts.test.ts).
 */
export function planParts(size: number, totalParts: number): PartPlan {
  return {
    size,
    totalParts,
    partSize: totalParts === maxParts(size) ? PART_BYTES : Math.ceil(size / totalParts),
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
