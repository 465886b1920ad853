'use client'

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTell } from '../../context/announcer.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { extendTo, NOTHING, type Selection, selectAll, toggle } from './selection.ts'

export type FileSelection = {
  ids: ReadonlySet<string>
  /** Those of the list that are selected, in its order. */
  files: FileItem[]
  /** `extend`: everything from the last choice on, as shift does. */
  choose(id: string, extend: boolean): void
  selectAll(): void
  clear(): void
}

/** The selection of a list. It ends when the list shows something else (`view`); what leaves the list leaves it. */
export function useSelection(items: FileItem[], view: string): FileSelection {
  const { t } = useWords()
  const { announce } = useTell()
  const [selection, setSelection] = useState(NOTHING)
  const order = useMemo(() => items.map(({ id }) => id), [items])
  const latest = useRef({ order, selection })
  latest.current = { order, selection }

  // biome-ignore lint/correctness/useExhaustiveDependencies: ends with the view
  useEffect(() => setSelection(NOTHING), [view])

  const files = useMemo(
    () => (selection.ids.size === 0 ? [] : items.filter(({ id }) => selection.ids.has(id))),
    [items, selection],
  )

  /** Several at once are announced; a checkbox speaks for itself. */
  const change = useCallback(
    (next: Selection, silent = false) => {
      latest.current.selection = next
      setSelection(next)
      if (!silent) announce(t('files.selected', { count: next.ids.size }))
    },
    [announce, t],
  )
  const choose = useCallback(
    (id: string, extend: boolean) => {
      const { selection: current, order: ids } = latest.current
      if (extend) change(extendTo(current, ids, id))
      else change(toggle(current, id), true)
    },
    [change],
  )
  return {
    ids: selection.ids,
    files,
    choose,
    selectAll: useCallback(() => change(selectAll(latest.current.selection, latest.current.order)), [change]),
    clear: useCallback(() => change(NOTHING), [change]),
  }
}
