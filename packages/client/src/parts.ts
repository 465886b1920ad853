import { PART_BYTES } from './limits.ts'

/** How a file is split: every part has `partSize` bytes except the last, which has the rest (at least 1). */
export type PartPlan = { size: number; totalParts: number; partSize: number }

/** The most parts a file of this size may have: none but the last is smaller than 5 MiB. */
export function mostParts(size: number): number {
  return Math.ceil(size / PART_BYTES)
}

/**
 * The plan for 1 to `mostParts(size)` parts. With fewer parts than the most, a part is larger than 5 MiB.
 * Rounding its size up takes less than one byte per part from the last one, which therefore always has
 * at least 1 byte (tests/unit/upload-parts.test.ts).
 */
export function planParts(size: number, totalParts: number): PartPlan {
  return {
    size,
    totalParts,
    partSize: totalParts === mostParts(size) ? PART_BYTES : Math.ceil(size / totalParts),
  }
}

/** Bytes of part `partNumber` (from 1). */
export function partLength(plan: PartPlan, partNumber: number): number {
  return Math.min(plan.partSize, plan.size - (partNumber - 1) * plan.partSize)
}

/** 1 to totalParts. */
export function partNumbers(plan: { totalParts: number }): number[] {
  return Array.from({ length: plan.totalParts }, (_, i) => i + 1)
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
