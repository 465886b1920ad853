import { expect, test } from 'vitest'
import type { FileRecord } from '../../src/server/domain/uploads/file-record.ts'
import { partsMismatch, uploadedParts } from '../../src/server/domain/uploads/stored-parts.ts'

const file = { size: 26, totalParts: 3, partSize: 10 } as FileRecord
const part = (partNumber: number, size: number, etag = 'x') => ({ partNumber, size, etag })
const none = new Map<number, string>()

test('a mismatch lists missing and wrong parts as data', () => {
  const all = [part(1, 10), part(2, 10), part(3, 6)]
  expect(partsMismatch(file, all, none)).toBeUndefined()
  expect(partsMismatch(file, [], none)?.data).toEqual({ missingParts: [1, 2, 3] })
  expect(partsMismatch(file, [part(1, 9), part(2, 10)], none)?.data).toEqual({
    missingParts: [3],
    wrongParts: [1],
  })
  expect(partsMismatch(file, all, new Map([[2, 'y']]))?.data).toEqual({ wrongParts: [2] })
})

test('parts beyond the plan are a mismatch that no part can repair', () => {
  const mismatch = partsMismatch(file, [part(1, 10), part(2, 10), part(3, 6), part(4, 1)], none)
  expect(mismatch).toEqual({ message: expect.stringContaining('beyond the planned 3: 4'), data: {} })
})

test('uploaded parts are the recorded ones, and stored ones of the planned size', () => {
  expect(uploadedParts(file, [part(1, 10), part(2, 9), part(4, 10)], new Map([[3, 'x']]))).toEqual([
    { partNumber: 1, size: 10, etag: 'x' },
    { partNumber: 3, size: 6, etag: 'x' },
  ])
})
