// The archive of several files, read back by a reader of its own.

import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../src/ui/files/download/crc32.ts'
import { blobCrc32, uniqueNames, zip } from '../../src/ui/files/download/zip.ts'
import { readZip } from '../support/read-zip.ts'

const bytes = fc.uint8Array({ maxLength: 300 })

describe('an archive', () => {
  test('has every file with its name and bytes', async () => {
    const file = fc.record({ name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), bytes })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), async (files) => {
        const entries = await Promise.all(
          files.map(async ({ name, bytes: content }) => {
            const blob = new Blob([content as Uint8Array<ArrayBuffer>])
            return { name, bytes: blob, crc32: await blobCrc32(blob), modifiedAt: new Date(2026, 5, 7) }
          }),
        )
        const archive = Buffer.from(await zip(entries).arrayBuffer())
        expect(readZip(archive)).toEqual(
          files.map(({ name, bytes: content }) => ({ name, bytes: Buffer.from(content) })),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('the checksum is that of zlib, in whatever pieces', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(crc32(b, crc32(a))).toBe(zlibCrc32(Buffer.concat([a, b])))
      }),
    )
  })

  test('no two files have one name, in whatever case, and names that occur once stay', () => {
    const name = fc.constantFrom('a.png', 'A.PNG', 'a (2).png', 'b', 'B', '.png', 'a.b.c', 'ä.png')
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const unique = uniqueNames(names)
        expect(new Set(unique.map((one) => one.toLowerCase())).size).toBe(names.length)
        expect(unique[0]).toBe(names[0])
      }),
    )
    expect(uniqueNames(['a.png', 'a.png', 'b', 'b'])).toEqual(['a.png', 'a (2).png', 'b', 'b (2)'])
  })

  test('of more than the format holds is refused', () => {
    const large = { size: 2 ** 31, arrayBuffer: () => {} } as unknown as Blob
    const entry = { name: 'a', bytes: large, crc32: 0, modifiedAt: new Date() }
    expect(() => zip([entry, entry, entry])).toThrow(RangeError)
  })
})
