import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  FILE_MAX_BYTES,
  MAX_PART_BYTES,
  MIB,
  PART_BYTES,
  POLICY_MAX_BYTES,
  SIMPLE_MAX_BYTES,
} from '../src/limits.ts'
import { bytesOf, maxParts, partBytesFor, planParts, rangeOf } from '../src/parts.ts'
import { chooseTotalParts, kindOf } from '../src/upload/flows/choose-flow.ts'

const size = fc.oneof(
  fc.integer({ min: 1, max: FILE_MAX_BYTES }),
  fc.integer({ min: 1, max: 1024 }).map((n) => n * PART_BYTES),
)

test('the server accepts every plan, and its parts contain each byte of the file once', () => {
  fc.assert(
    fc.property(size, fc.option(fc.integer({ min: 1, max: 1024 * 1024 * 1024 })), (bytes, partBytes) => {
      const totalParts = chooseTotalParts(bytes, partBytes ?? undefined)
      expect(totalParts).toBeGreaterThanOrEqual(1)
      expect(totalParts).toBeLessThanOrEqual(maxParts(bytes))
      const plan = planParts(bytes, totalParts)
      let at = 0
      for (let n = 1; n <= totalParts; n++) {
        const { start, end } = rangeOf(plan, n)
        expect(start).toBe(at)
        expect(end).toBeGreaterThan(start)
        at = end
      }
      expect(at).toBe(bytes)
      expect(
        bytesOf(
          plan,
          Array.from({ length: totalParts }, (_, i) => i + 1),
        ),
      ).toBe(bytes)
    }),
  )
})

test('files have up to 256 parts of 5 MB, then larger parts', () => {
  expect(chooseTotalParts(300 * 1024 * 1024)).toBe(60)
  expect(chooseTotalParts(256 * PART_BYTES)).toBe(256)
  expect(planParts(FILE_MAX_BYTES, chooseTotalParts(FILE_MAX_BYTES))).toMatchObject({
    totalParts: 256,
    partSize: 4 * PART_BYTES,
  })
})

test('larger files of a policy have parts of about 100 MB, as far as the store’s number of parts permits', () => {
  expect(chooseTotalParts(25 * 1024 * MIB)).toBe(256)
  expect(chooseTotalParts(100 * 1024 * MIB)).toBe(1024)
  expect(chooseTotalParts(POLICY_MAX_BYTES)).toBe(9987)
  const sizes = fc.integer({ min: FILE_MAX_BYTES, max: POLICY_MAX_BYTES })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1024, max: 10_000 }), (bytes, storeMaxParts) => {
      const totalParts = chooseTotalParts(bytes, undefined, storeMaxParts)
      const partBytes = partBytesFor(bytes, storeMaxParts)
      expect(totalParts).toBeLessThanOrEqual(Math.min(storeMaxParts, maxParts(bytes, partBytes)))
      expect(planParts(bytes, totalParts, partBytes).partSize).toBeLessThanOrEqual(MAX_PART_BYTES)
    }),
  )
})

test('files up to exactly 10 MB are simple uploads', () => {
  expect(kindOf(SIMPLE_MAX_BYTES)).toBe('simple')
  expect(kindOf(SIMPLE_MAX_BYTES + 1)).toBe('multipart')
})
