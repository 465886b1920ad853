import { PART_BYTES } from './limits.ts'

/** How a file is cut: every part has `partSize` bytes but the last, which has the rest (at least 1). */
export type PartPlan = { size: number; totalParts: number; partSize: number }

/** The most parts a file of `size` bytes may have: parts of 5 MiB (docs/spec.md section 8). */
export function mostParts(size: number): number {
  return Math.ceil(size / PART_BYTES)
}

/**
 * The plan for 1 to `mostParts(size)` parts. It always adds up: with fewer parts than the rule gives,
 * a part is larger than 5 MiB, and rounding up leaves less than one byte per part too little for the
 * last, which is far below a part (tests/unit/upload-parts.test.ts).
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

/** At most 20 of a list, for a message to a person. */
export function firstFew(list: (number | string)[]): string {
  return list.length > 20 ? `${list.slice(0, 20).join(', ')} and ${list.length - 20} more` : list.join(', ')
}
