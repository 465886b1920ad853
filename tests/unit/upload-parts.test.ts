import { FILE_MAX_BYTES, MIB, PART_BYTES } from '@pigeonhole/client/limits'
import { maxParts, partLength, partNumbers, planParts } from '@pigeonhole/client/parts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uploadLimits } from '../../src/server/domain/uploads/quota.ts'

/** Generates a size with an allowed number of parts. */
const planned = fc
  .integer({ min: 1, max: FILE_MAX_BYTES })
  .chain((size) =>
    fc.record({ size: fc.constant(size), totalParts: fc.integer({ min: 1, max: maxParts(size) }) }),
  )

describe('the plan of a multipart upload', () => {
  test('adds up to the file for every allowed number of parts, each at least 5 MiB except the last', () => {
    fc.assert(
      fc.property(planned, ({ size, totalParts }) => {
        const plan = planParts(size, totalParts)
        const lengths = partNumbers(plan).map((n) => partLength(plan, n))
        expect(lengths.reduce((sum, n) => sum + n, 0)).toBe(size)
        expect(lengths.at(-1)).toBeGreaterThan(0)
        // Use a set, because each of the 500 plans has up to 1,023 lengths.
        expect([...new Set(lengths.slice(0, -1))]).toEqual(totalParts > 1 ? [plan.partSize] : [])
        if (totalParts > 1) expect(plan.partSize).toBeGreaterThanOrEqual(PART_BYTES)
      }),
      { numRuns: 500 },
    )
  })

  test('with the maximum number of parts, all have 5 MB except the last', () => {
    expect(planParts(12 * MIB, 3)).toEqual({ size: 12 * MIB, totalParts: 3, partSize: 5 * MIB })
    expect(planParts(1, 1).partSize).toBe(5 * MIB)
  })

  test('of 5 GB has at most 1,024 parts, within what S3 allows', () => {
    expect(maxParts(FILE_MAX_BYTES)).toBe(1024)
    expect(planParts(FILE_MAX_BYTES, 1).partSize).toBe(FILE_MAX_BYTES)
  })

  test('with fewer parts, has larger ones, all equal except the last', () => {
    const plan = planParts(16 * MIB + 1, 2)
    expect(plan.partSize).toBe(8 * MIB + 1)
    expect(partLength(plan, 2)).toBe(8 * MIB)
  })
})

test('with the part size of upload.limits, the number of parts fits the rule and the store', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: FILE_MAX_BYTES }),
      fc.integer({ min: 256, max: 10_000 }),
      (size, storeMaxParts) => {
        const { partBytes } = uploadLimits(
          { settings: { maxOpenUploads: 1, maxParts: storeMaxParts, policies: new Map() } },
          {},
        )
        const totalParts = Math.ceil(size / partBytes)
        expect(totalParts).toBeLessThanOrEqual(storeMaxParts)
        expect(totalParts).toBeLessThanOrEqual(maxParts(size))
      },
    ),
  )
  expect(
    uploadLimits({ settings: { maxOpenUploads: 1, maxParts: 10_000, policies: new Map() } }, {}).partBytes,
  ).toBe(PART_BYTES)
})
