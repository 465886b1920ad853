import clsx from 'clsx'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { isHeld } from '../use-file-queries.ts'
import { FileMenu } from './file-menu.tsx'
import { FileLink, type FileRowProps, ON_DEMAND, SharedMark } from './file-row.tsx'
import { FileThumbnail } from './file-thumbnail.tsx'
import type { FileRowsProps } from './plain-rows.tsx'
import { SelectBox } from './select-box.tsx'
import { type NameSize, TileNameSize } from './tile-name.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { whenNear } from './when-near.ts'

/** Space in pixels between a name and the icon of the menu beside it. */
const MENU_GAP = 4

/** The files as tiles with their thumbnails. The browser skips drawing those outside the screen. */
export function FileGrid(props: FileRowsProps) {
  const { files, selection, hasMore, isFetching, loadMore, setLastVisible, busy } = props
  const { t } = useMessages()
  const grid = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const { focusRow, onFocus, onBlur, ...keys } = useRowKeys(grid, files, selection, useDeletions().add, {
    columns: () => getComputedStyle(grid.current!).gridTemplateColumns.split(' ').length,
  })

  // All loaded tiles stay, so a refresh fetches all their pages again.
  useEffect(() => setLastVisible(files.length - 1), [files.length, setLastVisible])
  useEffect(() => {
    if (!hasMore || isFetching || busy || !end.current) return
    return whenNear(end.current, loadMore)
  }, [hasMore, isFetching, busy, loadMore])

  const nameSize = useNameSize(grid)

  function onKeyDown(event: KeyboardEvent) {
    const next = keys.onKeyDown(event)
    if (next !== undefined) focusRow(next, { scroll: true })
  }

  return (
    <TileNameSize value={nameSize}>
      <ul
        ref={grid}
        aria-label={t('files.list')}
        aria-busy={busy}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onBlur={onBlur}
        className="grid grid-cols-2 gap-2 p-2 sm:grid-cols-3 sm:gap-3 sm:p-3 md:grid-cols-4 lg:grid-cols-5"
      >
        {files.map((file, index) => (
          <li key={file.id} data-index={index} className="tile-lazy scroll-mt-32">
            <FileTile
              file={file}
              selected={selection.ids.has(file.id)}
              isSelecting={selection.ids.size > 0}
              onSelect={selection.choose}
            />
          </li>
        ))}
      </ul>
      <div ref={end} />
    </TileNameSize>
  )
}

/** Measures the names of the tiles, which are equally wide. Null until the grid is on the screen. */
function useNameSize(grid: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState<NameSize | null>(null)
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const name = grid.current?.querySelector('[data-tile-name]')
      const box = name?.parentElement?.parentElement
      const icon = box?.parentElement?.querySelector('svg')
      const width = box?.clientWidth ?? 0
      if (!name || !box || !icon || width === 0) return
      const firstWidth = icon.getBoundingClientRect().left - box.getBoundingClientRect().left - MENU_GAP
      const { font } = getComputedStyle(name)
      setSize((before) =>
        before?.width === width && before.firstWidth === firstWidth && before.font === font
          ? before
          : { width, firstWidth, font },
      )
    })
    observer.observe(grid.current!)
    return () => observer.disconnect()
  }, [grid])
  return size
}

type FileTileProps = FileRowProps & {
  /** True if some files are selected. */
  isSelecting: boolean
}

function FileTile({ file, selected, isSelecting, onSelect }: FileTileProps) {
  const { id, filename, size, createdAt } = file
  const { t, format } = useMessages()
  return (
    <div
      data-file={id}
      data-selected={selected || undefined}
      className="group relative h-full rounded-lg border border-line hover:border-line-strong not-data-selected:has-aria-expanded:border-line-strong not-data-selected:has-aria-expanded:bg-sunken data-selected:border-accent data-selected:bg-accent-soft forced-colors:data-selected:outline-3 forced-colors:data-selected:-outline-offset-3 forced-colors:data-selected:outline-[Highlight]"
    >
      <div className="flex h-32 items-center justify-center overflow-hidden rounded-t-lg bg-sunken sm:h-36 [&_svg]:size-9">
        <FileThumbnail file={file} className="size-full rounded-none border-x-0 border-t-0" />
      </div>
      <div className="py-1.5 text-sm leading-snug">
        <div className="flex items-start px-2.5">
          {/* Two lines, so that tiles side by side align. */}
          <div className="min-h-10 min-w-0 flex-1">
            <FileLink file={file} inTile />
          </div>
          {/*
            Follows the link, whose area covers the tile. Takes no space: only its icon stands beside the first line of
            the name, and the second line is below it.
          */}
          <div className="relative -mt-2.5 -mr-2.5 -ml-7.5 pointer-coarse:-mt-3 pointer-coarse:-ml-8.5 [&>button]:hover:bg-transparent">
            <FileMenu file={file} />
          </div>
        </div>
        <p className="mt-0.5 flex items-center gap-1.5 px-2.5 text-ink-soft tabular-nums">
          {isHeld(file) ? (
            <Badge>{t('files.held')}</Badge>
          ) : (
            // Narrow tiles show the date below the size. A dot at the start of a line is outside the box, which hides it.
            <span className="min-w-0 overflow-hidden">
              <span className="-ml-3.5 flex flex-wrap whitespace-nowrap *:before:inline-block *:before:w-3.5 *:before:text-center *:before:content-['·'/'']">
                <span>{format.bytes(size)}</span>
                <span>
                  <LocalTime at={createdAt} dayOnly />
                </span>
              </span>
            </span>
          )}
          {file.shared && <SharedMark />}
        </p>
      </div>
      <div
        className={clsx(
          // A plate with an edge, so that the checkbox is visible on any picture.
          'absolute top-0 left-0 isolate before:absolute before:inset-1.5 before:-z-10 before:rounded-md before:border before:border-line-strong before:bg-surface',
          !isSelecting && !selected && ON_DEMAND,
        )}
      >
        <SelectBox
          label={t('files.select', { name: filename })}
          checked={selected}
          tabIndex={-1}
          onChange={(shiftKey) => onSelect(id, shiftKey)}
        />
      </div>
    </div>
  )
}
