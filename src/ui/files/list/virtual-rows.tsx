import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { FileRow } from './file-row.tsx'
import { type FileRowsProps, ROWS } from './plain-rows.tsx'
import { useRowKeys } from './use-row-keys.ts'

export type VirtualRowsProps = FileRowsProps & {
  /** Measured height of a row. */
  rowPixels?: number
  /** File whose row has the focus. */
  focusedId?: string
}

/** Returns an element's distance from the top of the page in pixels. Follows layout changes above the element. */
function useListTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const content = document.getElementById('content') ?? document.body
    const measure = () => {
      if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(content)
    for (const child of content.firstElementChild?.children ?? []) observer.observe(child)
    return () => observer.disconnect()
  }, [element])
  return top
}

/** Height of a row in pixels, if none was measured. */
const ROW_PIXELS = 65
/** Rows rendered beyond the screen, so that Tab finds the next one. */
const OVERSCAN = 6
/** Remaining rows at which the list loads more. */
const LOAD_AHEAD = 40
/** Assumed screen size until it is measured. */
const FIRST_SCREEN = { width: 0, height: 900 }
/** Height covered by the sticky header and selection bar, and by a phone's navigation. */
const COVERED = { top: 120, bottom: 80 }

/** The rows of a long list. Renders only visible rows and the focused one. */
export function VirtualRows(props: VirtualRowsProps) {
  const { files, selection, hasMore, isFetching, loadMore, setLastVisible, busy } = props
  const { rowPixels = ROW_PIXELS, focusedId } = props
  const { t } = useMessages()
  const list = useRef<HTMLUListElement>(null)
  const top = useListTop(list)
  const { focusedIndex, focusRow, ...keys } = useRowKeys(list, files, selection, useDeletions().add, {
    initialFocus: focusedId,
  })

  const virtualizer = useWindowVirtualizer({
    count: files.length,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialRect: FIRST_SCREEN,
    scrollPaddingStart: COVERED.top,
    scrollPaddingEnd: COVERED.bottom,
    getItemKey: useCallback((index: number) => files[index]!.id, [files]),
    // Keep the focused row, because removing it would lose the focus.
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
    if (hasMore && !isFetching && !busy && lastVisible >= files.length - LOAD_AHEAD) loadMore()
  }, [hasMore, isFetching, busy, lastVisible, files.length, loadMore])

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
      className={`relative ${ROWS}`}
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
