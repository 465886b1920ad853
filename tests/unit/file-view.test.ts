// The Files page's search, type and order in the URL.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listFilesInput } from '../../src/server/domain/uploads/schema.ts'
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
import { anyText } from '../support/any-text.ts'

const enteredText = fc.oneof(anyText({ maxLength: 400 }), fc.string({ unit: 'grapheme' }))
const anyView: fc.Arbitrary<FileView> = fc.record({
  query: enteredText.map(cleanQuery),
  kind: fc.constantFrom(null, ...FILE_KINDS),
  sort: fc.constantFrom(...FILE_SORTS),
})
const anyAddress = fc
  .dictionary(fc.constantFrom('q', 'type', 'sort', 'page'), enteredText)
  .map((params) => `?${new URLSearchParams(params)}`)

describe('the view in the URL', () => {
  test('is restored as it was written', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        expect(parseFileView(formatFileView(view))).toEqual(view)
      }),
    )
  })

  test('has one URL: reading any URL and writing it again gives the same one', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const written = formatFileView(parseFileView(address))
        expect(formatFileView(parseFileView(written))).toBe(written)
      }),
    )
  })

  test('is always accepted by the server, regardless of the URL', () => {
    fc.assert(
      fc.property(fc.oneof(anyAddress, enteredText), (address) => {
        const view = parseFileView(address)
        expect(listFilesInput.safeParse({ sort: view.sort, ...filterOf(view) }).error).toBeUndefined()
      }),
    )
  })

  test('without a choice has a URL without parameters', () => {
    expect(formatFileView(DEFAULT_VIEW)).toBe('')
    expect(parseFileView('?sort=random&type=html&utm_source=mail')).toEqual(DEFAULT_VIEW)
    expect(formatFileView({ query: 'cat & dog', kind: 'image', sort: 'name' })).toBe(
      '?q=cat+%26+dog&type=image&sort=name',
    )
  })
})
