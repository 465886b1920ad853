// The Files page's search, type and order in the address.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listFilesInput } from '../../src/server/upload/schema.ts'
import {
  cleanQuery,
  DEFAULT_VIEW,
  FILE_KINDS,
  FILE_SORTS,
  type FileView,
  filterOf,
  formatFileView,
  parseFileView,
} from '../../src/ui/files/list/file-view.ts'

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'grapheme' }))
const anyView: fc.Arbitrary<FileView> = fc.record({
  query: anyText.map(cleanQuery),
  kind: fc.constantFrom(null, ...FILE_KINDS),
  sort: fc.constantFrom(...FILE_SORTS),
})
const anyAddress = fc
  .dictionary(fc.constantFrom('q', 'type', 'sort', 'page'), anyText)
  .map((params) => `?${new URLSearchParams(params)}`)

describe('the view in the address', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        expect(parseFileView(formatFileView(view))).toEqual(view)
      }),
    )
  })

  test('has one address: what was read from any is written the same again', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const written = formatFileView(parseFileView(address))
        expect(formatFileView(parseFileView(written))).toBe(written)
      }),
    )
  })

  test('is one that the server takes, whatever the address says', () => {
    fc.assert(
      fc.property(fc.oneof(anyAddress, anyText), (address) => {
        const view = parseFileView(address)
        expect(listFilesInput.safeParse({ sort: view.sort, ...filterOf(view) }).error).toBeUndefined()
      }),
    )
  })

  test('without a choice is the address without one', () => {
    expect(formatFileView(DEFAULT_VIEW)).toBe('')
    expect(parseFileView('?sort=random&type=html&utm_source=mail')).toEqual(DEFAULT_VIEW)
    expect(formatFileView({ query: 'cat & dog', kind: 'image', sort: 'name' })).toBe(
      '?q=cat+%26+dog&type=image&sort=name',
    )
  })
})
