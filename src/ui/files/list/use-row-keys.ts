import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { FileSelection } from './use-selection.ts'

/**
 * Handles the list's keys:
 *
 * - Up, Down, Home and End move between rows and stay on the same control (checkbox, name, menu).
 * - Left and Right move between the controls of a row or, in a grid, between files.
 * - Shift with the keys that move between files extends the selection.
 * - Space selects the file whose name has the focus.
 * - Ctrl+A or Cmd+A selects all loaded files, and Escape clears the selection.
 * - Delete deletes the selected files or, without a selection, the row's file, if there is `onDelete`.
 *
 * `initialFocus` is the file whose row already has the focus. `columns` returns the files per row of a grid.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  files: { id: string }[],
  selection: FileSelection<{ id: string }>,
  onDelete: ((ids: string[]) => void) | undefined,
  { initialFocus, columns }: { initialFocus?: string | undefined; columns?: () => number } = {},
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
      if (key === 'Delete' && onDelete) {
        event.preventDefault()
        onDelete(selection.files.length > 0 ? selection.files.map(({ id }) => id) : [files[index]!.id])
        selection.clear()
        return undefined
      }
      const name = target.getAttribute('data-control')
      if (key === ' ' && name === 'open') {
        event.preventDefault()
        selection.choose(files[index]!.id, shiftKey)
        return undefined
      }
      if (!columns && (key === 'ArrowLeft' || key === 'ArrowRight')) {
        event.preventDefault()
        focusBeside(row, target, key === 'ArrowRight' ? 1 : -1)
        return undefined
      }
      const perRow = columns?.() ?? 1
      const next = {
        ArrowDown: index + perRow,
        ArrowUp: index - perRow,
        ArrowRight: index + 1,
        ArrowLeft: index - 1,
        Home: 0,
        End: files.length - 1,
      }[key]
      if (next === undefined) return undefined
      event.preventDefault()
      const file = files[next]
      if (!file) return undefined
      control.current = name ?? 'open'
      if (shiftKey) {
        // The range starts at the row where the user first pressed Shift.
        if (selection.ids.size === 0) selection.choose(files[index]!.id, false)
        selection.choose(file.id, true)
      }
      return next
    },
  }
}

/** Focuses the next or previous visible control of the row. */
function focusBeside(row: Element, control: Element, step: 1 | -1): void {
  const controls = [...row.querySelectorAll<HTMLElement>('[data-control]')].filter((one) =>
    one.checkVisibility(),
  )
  controls[controls.indexOf(control as HTMLElement) + step]?.focus()
}
