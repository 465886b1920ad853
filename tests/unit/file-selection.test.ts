// Selecting files of a list: ranges with shift, all, single ones.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extendTo, NOTHING, type Selection, selectAll, toggle } from '../../src/ui/files/list/selection.ts'

const order = Array.from({ length: 12 }, (_, i) => `file-${i}`)
const id = fc.constantFrom(...order)
const step = fc.record({ how: fc.constantFrom('toggle', 'extend', 'all'), id })
/** A selection that somebody has made. */
const selection = fc.array(step, { maxLength: 8 }).map((steps) =>
  steps.reduce<Selection>((made, { how, id: one }) => {
    if (how === 'all') return selectAll(made, order)
    return how === 'toggle' ? toggle(made, one) : extendTo(made, order, one)
  }, NOTHING),
)
const sorted = ({ ids }: Selection) => [...ids].sort()

describe('a selection', () => {
  test('toggling a file twice changes nothing, once only that file', () => {
    fc.assert(
      fc.property(selection, id, (made, one) => {
        const once = toggle(made, one)
        expect(once.ids.has(one)).toBe(!made.ids.has(one))
        expect(sorted(toggle(once, one))).toEqual(sorted(made))
      }),
    )
  })

  test('shift selects from the last choice to the file, in either direction, and keeps what was selected', () => {
    fc.assert(
      fc.property(selection, id, id, (made, from, to) => {
        const begun = toggle(made, from)
        const extended = extendTo(begun, order, to)
        const [first, last] = [order.indexOf(from), order.indexOf(to)].sort((a, b) => a - b)
        const range = order.slice(first, last! + 1)
        expect(sorted(extended)).toEqual([...new Set([...begun.ids, ...range])].sort())
      }),
    )
  })

  test('extending a range again replaces it', () => {
    fc.assert(
      fc.property(selection, id, id, id, (made, from, once, again) => {
        const begun = toggle(made, from)
        const direct = extendTo(begun, order, again)
        expect(sorted(extendTo(extendTo(begun, order, once), order, again))).toEqual(sorted(direct))
      }),
    )
  })

  test('shift without an earlier choice, or with one that left the list, selects the file alone', () => {
    fc.assert(
      fc.property(id, (one) => {
        expect([...extendTo(NOTHING, order, one).ids]).toEqual([one])
      }),
    )
    const gone = toggle(NOTHING, 'deleted')
    expect(sorted(extendTo(gone, order, 'file-3'))).toEqual(['deleted', 'file-3'])
    expect(extendTo(gone, order, 'not there')).toBe(gone)
  })

  test('all is all of the list, and shift goes on from there', () => {
    fc.assert(
      fc.property(selection, id, (made, one) => {
        const all = selectAll(made, order)
        expect(sorted(all)).toEqual([...order].sort())
        expect(sorted(extendTo(all, order, one))).toEqual([...order].sort())
      }),
    )
  })
})
