import { expect, test } from 'vitest'
import { dataEntries } from '../../src/ui/messages/inbox/data-entries.ts'

test('the data of a message becomes a flat list of names and values', () => {
  expect(
    dataEntries({
      order: 'A1',
      paid: false,
      empty: '',
      nothing: null,
      tags: ['new', 2],
      none: [],
      address: { city: 'Linz', geo: { lat: 48.3 } },
      items: [{ name: 'Tea' }, 'loose'],
    }),
  ).toEqual([
    { name: 'order', values: ['A1'] },
    { name: 'paid', values: [false] },
    { name: 'tags', values: ['new', 2] },
    { name: 'address › city', values: ['Linz'] },
    { name: 'address › geo › lat', values: [48.3] },
    { name: 'items › 1 › name', values: ['Tea'] },
    { name: 'items › 2', values: ['loose'] },
  ])
})
