// Selection of files in a list: ranges with Shift, all files, single files.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extendTo, NOTHING, type Selection, selectAll, toggle } from '../../src/ui/files/list/selection.ts'

const order = Array.from({ length: 12 }, (_, i) => `file-${i}`)
const id = fc.constantFrom(...order)
const step = fc.record({ how: fc.constantFrom('toggle', 'extend', 'all'), id })
/** Generates a selection. */
const selection = fc.array(step, { maxLength: 8 }).map((steps) =>
  steps.reduce<Selection>((made, { how, id: one }) => {
    if (how === 'all') return selectAll(made, order)
    return how === 'toggle' ? toggle(made, one) : extendTo(made, order, one)
  }, NOTHING),
)
const sorted = ({ ids }: Selection) => [...ids].sort()

describe('a selection', () => {
  test('toggling a file changes only that file, and toggling it twice changes nothing', () => {
    fc.assert(
      fc.property(selection, id, (made, one) => {
        const once = toggle(made, one)
        expect(once.ids.has(one)).toBe(!made.ids.has(one))
        expect(sorted(toggle(once, one))).toEqual(sorted(made))
      }),
    )
  })

  test('Shift selects from the last choice to the file, in either direction, and keeps the previous selection', () => {
    fc.assert(
      fc.property(selection, id, id, (made, from, to) => {
        const toggled = toggle(made, from)
        const extended = extendTo(toggled, order, to)
        const [first, last] = [order.indexOf(from), order.indexOf(to)].sort((a, b) => a - b)
        const range = order.slice(first, last! + 1)
        expect(sorted(extended)).toEqual([...new Set([...toggled.ids, ...range])].sort())
      }),
    )
  })

  test('extending a range again replaces it', () => {
    fc.assert(
      fc.property(selection, id, id, id, (made, from, once, again) => {
        const toggled = toggle(made, from)
        const direct = extendTo(toggled, order, again)
        expect(sorted(extendTo(extendTo(toggled, order, once), order, again))).toEqual(sorted(direct))
      }),
    )
  })

  test('Shift without an earlier choice, or with one that is no longer listed, selects only the file', () => {
    fc.assert(
      fc.property(id, (one) => {
        expect([...extendTo(NOTHING, order, one).ids]).toEqual([one])
      }),
    )
    const gone = toggle(NOTHING, 'deleted')
    expect(sorted(extendTo(gone, order, 'file-3'))).toEqual(['deleted', 'file-3'])
    expect(extendTo(gone, order, 'not there')).toBe(gone)
  })

  test('"all" selects the whole list, and Shift extends it', () => {
    fc.assert(
      fc.property(selection, id, (made, one) => {
        const all = selectAll(made, order)
        expect(sorted(all)).toEqual([...order].sort())
        expect(sorted(extendTo(all, order, one))).toEqual([...order].sort())
      }),
    )
  })
})
