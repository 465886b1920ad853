import { expect, test } from 'vitest'
import { matchFiles } from '../../src/ui/files/match-files.ts'

const file = (name: string, size: number, id?: string) => ({ name, size, id })

test('each file continues one upload of the same name and size, and the others are named', () => {
  const first = file('scan.pdf', 10, 'first')
  const second = file('scan.pdf', 10, 'second')
  const larger = file('scan.pdf', 11, 'larger')
  const chosen = [file('scan.pdf', 11), file('scan.pdf', 12), file('SCAN.pdf', 10), file('scan.pdf', 10)]
  const { matched, rest } = matchFiles([first, second, larger], chosen)
  expect(matched).toEqual([
    [larger, chosen[0]],
    [first, chosen[3]],
  ])
  expect(rest).toEqual([chosen[1], chosen[2]])
})
