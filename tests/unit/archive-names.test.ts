import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uniqueNames } from '../../src/ui/files/download/download-files.ts'

test('files of an archive have different names, even ignoring case, and unique names stay unchanged', () => {
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
