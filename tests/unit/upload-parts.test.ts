import { FILE_MAX_BYTES, MIB, PART_BYTES } from '@pigeonhole/client/limits'
import { mostParts, partLength, partNumbers, planParts } from '@pigeonhole/client/parts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uploadLimits } from '../../src/server/upload/quota.ts'

/** A size, and a number of parts that is allowed for it. */
const planned = fc
  .integer({ min: 1, max: FILE_MAX_BYTES })
  .chain((size) =>
    fc.record({ size: fc.constant(size), totalParts: fc.integer({ min: 1, max: mostParts(size) }) }),
  )

describe('the plan of a multipart upload', () => {
  test('adds up for every allowed number of parts: the parts are the file, each at least 5 MiB but the last', () => {
    fc.assert(
      fc.property(planned, ({ size, totalParts }) => {
        const plan = planParts(size, totalParts)
        const lengths = partNumbers(plan).map((n) => partLength(plan, n))
        expect(lengths.reduce((sum, n) => sum + n, 0)).toBe(size)
        expect(lengths.at(-1)).toBeGreaterThan(0)
        for (const length of lengths.slice(0, -1)) {
          expect(length).toBe(plan.partSize)
          expect(length).toBeGreaterThanOrEqual(PART_BYTES)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('with the most parts: all 5 MB but the last', () => {
    expect(planParts(12 * MIB, 3)).toEqual({ size: 12 * MIB, totalParts: 3, partSize: 5 * MIB })
    expect(planParts(1, 1).partSize).toBe(5 * MIB)
  })

  test('of 5 GB has at most 1,024 parts, within what S3 allows', () => {
    expect(mostParts(FILE_MAX_BYTES)).toBe(1024)
    expect(planParts(FILE_MAX_BYTES, 1).partSize).toBe(FILE_MAX_BYTES)
  })

  test('with fewer parts has larger ones, all equal but the last', () => {
    const plan = planParts(16 * MIB + 1, 2)
    expect(plan.partSize).toBe(8 * MIB + 1)
    expect(partLength(plan, 2)).toBe(8 * MIB)
  })
})

test('parts of the size that upload.limits names are few enough for the rule and for the store', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: FILE_MAX_BYTES }),
      fc.integer({ min: 256, max: 10_000 }),
      (size, maxParts) => {
        const { partBytes } = uploadLimits({ settings: { maxOpenUploads: 1, maxParts } })
        const totalParts = Math.ceil(size / partBytes)
        expect(totalParts).toBeLessThanOrEqual(maxParts)
        expect(totalParts).toBeLessThanOrEqual(mostParts(size))
      },
    ),
  )
  expect(uploadLimits({ settings: { maxOpenUploads: 1, maxParts: 10_000 } }).partBytes).toBe(PART_BYTES)
})
