'use client'

import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react'
import { useWords } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { FileRow } from './file-row.tsx'
import type { VirtualRowsProps } from './file-rows-props.ts'
import { useListTop } from './use-list-top.ts'
import { useRowKeys } from './use-row-keys.ts'

/** Of a row, in pixels, if none was drawn before. */
const ROW_PIXELS = 65
/** Rows beyond the screen, so that the tab key finds the next one. */
const OVERSCAN = 6
/** Rows left before more are loaded. */
const LOAD_AHEAD = 40
/** Until the screen is measured. */
const FIRST_SCREEN = { width: 0, height: 900 }
/** The page's header and the selection bar, which stay in place, and a phone's navigation. */
const COVERED = { top: 120, bottom: 80 }

/** The rows on the screen and the focused one: the others are only counted, however many there are. */
export function VirtualRows(props: VirtualRowsProps) {
  const { files, selection, hasMore, isLoadingMore, loadMore, setLastVisible, busy } = props
  const { rowPixels = ROW_PIXELS, focusedId } = props
  const { t } = useWords()
  const list = useRef<HTMLUListElement>(null)
  const top = useListTop(list)
  const { focusedIndex, focusRow, ...keys } = useRowKeys(
    list,
    files,
    selection,
    useDeletions().add,
    focusedId,
  )

  const virtualizer = useWindowVirtualizer({
    count: files.length,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialRect: FIRST_SCREEN,
    scrollPaddingStart: COVERED.top,
    scrollPaddingEnd: COVERED.bottom,
    getItemKey: useCallback((index: number) => files[index]!.id, [files]),
    // The focused row stays, wherever it is: with it the focus would be lost.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range)
        if (focusedIndex === -1 || shown.includes(focusedIndex)) return shown
        return [...shown, focusedIndex].sort((a, b) => a - b)
      },
      [focusedIndex],
    ),
  })
  const rows = virtualizer.getVirtualItems()
  const lastVisible = virtualizer.range?.endIndex ?? 0

  useEffect(() => setLastVisible(lastVisible), [lastVisible, setLastVisible])
  useEffect(() => {
    if (hasMore && !isLoadingMore && !busy && lastVisible >= files.length - LOAD_AHEAD) loadMore()
  }, [hasMore, isLoadingMore, busy, lastVisible, files.length, loadMore])

  function onKeyDown(event: KeyboardEvent) {
    const next = keys.onKeyDown(event)
    if (next === undefined) return
    virtualizer.scrollToIndex(next)
    focusRow(next)
  }

  return (
    <ul
      ref={list}
      aria-label={t('files.list')}
      aria-busy={busy}
      onKeyDown={onKeyDown}
      onFocus={keys.onFocus}
      onBlur={keys.onBlur}
      style={{ height: virtualizer.getTotalSize() }}
      className="relative"
    >
      {rows.map(({ index, key, start }) => {
        const file = files[index]
        return (
          file && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={hasMore ? -1 : files.length}
              style={{ transform: `translateY(${start - top}px)` }}
              className="absolute inset-x-0 top-0"
            >
              <FileRow file={file} selected={selection.ids.has(file.id)} onSelect={selection.choose} />
            </li>
          )
        )
      })}
    </ul>
  )
}
