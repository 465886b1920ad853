'use client'

import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { FileItem } from '../use-file-queries.ts'
import type { FileSelection } from './use-selection.ts'

/**
 * The keyboard in the list: arrow keys, Home and End go from row to row on the same control (checkbox, name, menu),
 * with shift they select on the way; Ctrl or Cmd+A selects all that is loaded, Escape nothing; Delete deletes what is
 * selected, else the row's file. `initialFocus`: the file whose row has the focus already.
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
  /** The control to focus once its row is rendered. */
  const wanted = useRef<{ index: number; control: string; scroll: boolean }>(undefined)
  const control = useRef('select')

  useEffect(() => {
    const target = wanted.current
    if (!target) return
    const element = list.current?.querySelector<HTMLElement>(
      `[data-index="${target.index}"] [data-control="${target.control}"]`,
    )
    if (!element) return
    wanted.current = undefined
    element.focus({ preventScroll: !target.scroll })
  })

  return {
    focusedIndex,
    /** `scroll`: the browser scrolls to it. */
    focusRow(index: number, { scroll = false } = {}) {
      wanted.current = { index, control: control.current, scroll }
      setFocusedId(files[index]?.id)
    },
    onFocus({ target }: FocusEvent) {
      const row = target.closest('[data-index]')
      if (row) setFocusedId(files[Number(row.getAttribute('data-index'))]?.id)
    },
    onBlur({ relatedTarget }: FocusEvent) {
      // While an element is being moved or removed nothing gets the focus: then the row stays.
      if (relatedTarget && !list.current?.contains(relatedTarget)) setFocusedId(undefined)
    },
    /** Returns the row to go to. */
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
        // The range begins at the row where shift was pressed first.
        if (selection.ids.size === 0) selection.choose(files[index]!.id, false)
        selection.choose(file.id, true)
      }
      return next
    },
  }
}
