import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { FileItem } from '../use-file-queries.ts'
import type { FileSelection } from './use-selection.ts'

/**
 * Handles the list's keys:
 *
 * - Arrow keys, Home and End move between rows and stay on the same control (checkbox, name, menu).
 * - Shift with these keys selects the rows on the way.
 * - Ctrl+A or Cmd+A selects all loaded files, and Escape clears the selection.
 * - Delete deletes the selected files or, without a selection, the row's file.
 *
 * `initialFocus` is the file whose row already has the focus.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  files: FileItem[],
  selection: FileSelection,
  onDelete: (ids: string[]) => void,
  initialFocus?: string,
) {
  const [focusedId, setFocusedId] = useState(initialFocus)
  const focusedIndex = focusedId === undefined ? -1 : files.findIndex(({ id }) => id === focusedId)
  /** Control to focus once its row is rendered. */
  const pendingFocus = useRef<{ index: number; control: string; scroll: boolean }>(undefined)
  const control = useRef('select')

  useEffect(() => {
    const target = pendingFocus.current
    if (!target) return
    const element = list.current?.querySelector<HTMLElement>(
      `[data-index="${target.index}"] [data-control="${target.control}"]`,
    )
    if (!element) return
    pendingFocus.current = undefined
    element.focus({ preventScroll: !target.scroll })
  })

  return {
    focusedIndex,
    /** Focuses a row. With `scroll`, the browser scrolls to it. */
    focusRow(index: number, { scroll = false } = {}) {
      pendingFocus.current = { index, control: control.current, scroll }
      setFocusedId(files[index]?.id)
    },
    onFocus({ target }: FocusEvent) {
      const row = target.closest('[data-index]')
      if (row) setFocusedId(files[Number(row.getAttribute('data-index'))]?.id)
    },
    onBlur({ relatedTarget }: FocusEvent) {
      // No other element gets the focus while this one is moved or removed, so the row stays the focused one.
      if (relatedTarget && !list.current?.contains(relatedTarget)) setFocusedId(undefined)
    },
    /** Returns the index of the row to focus, if any. */
    onKeyDown(event: KeyboardEvent): number | undefined {
      const { key, shiftKey, ctrlKey, metaKey, altKey } = event
      const target = event.target as Element
      const row = target.closest('[data-index]')
      if (altKey || !row) return undefined
      if (ctrlKey || metaKey) {
        if (key.toLowerCase() !== 'a' || shiftKey) return undefined
        event.preventDefault()
        selection.selectAll()
        return undefined
      }
      if (key === 'Escape') {
        if (selection.ids.size > 0) selection.clear()
        return undefined
      }
      const index = Number(row.getAttribute('data-index'))
      if (key === 'Delete') {
        event.preventDefault()
        onDelete(selection.files.length > 0 ? selection.files.map(({ id }) => id) : [files[index]!.id])
        selection.clear()
        return undefined
      }
      const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: files.length - 1 }[key]
      if (next === undefined) return undefined
      event.preventDefault()
      const file = files[next]
      if (!file) return undefined
      control.current = target.getAttribute('data-control') ?? 'open'
      if (shiftKey) {
        // The range starts at the row where the user first pressed Shift.
        if (selection.ids.size === 0) selection.choose(files[index]!.id, false)
        selection.choose(file.id, true)
      }
      return next
    },
  }
}
