import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { extendTo, NOTHING, type Selection, selectAll, toggle } from './selection.ts'

export type FileSelection<File extends { id: string } = FileItem> = {
  ids: ReadonlySet<string>
  /** Selected files in the list's order. */
  files: File[]
  /** Selects or deselects a file. With `extend`, selects the range from the last chosen file, as Shift does. */
  choose(id: string, extend: boolean): void
  selectAll(): void
  clear(): void
}

/** State of a list's selection. A new `view` clears it, and files that leave the list are no longer in `files`. */
export function useSelection<File extends { id: string }>(items: File[], view: string): FileSelection<File> {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const [selection, setSelection] = useState(NOTHING)
  const order = useMemo(() => items.map(({ id }) => id), [items])
  const latest = useRef({ order, selection })
  latest.current = { order, selection }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view clears the selection
  useEffect(() => setSelection(NOTHING), [view])

  const files = useMemo(
    () => (selection.ids.size === 0 ? [] : items.filter(({ id }) => selection.ids.has(id))),
    [items, selection],
  )

  // Announces changes of several files. Screen readers announce a single checkbox themselves.
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
