import clsx from 'clsx'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { loadScript } from '../../context/load-script.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { FileDialogs } from '../dialogs/file-dialogs.tsx'
import { type FileItem, isHeld, isReady, useFileTotals } from '../use-file-queries.ts'
import { FileFilters } from './file-filters.tsx'
import { FileRows } from './file-rows.tsx'
import { DEFAULT_VIEW, type FileView, formatFileView, isFiltered } from './file-view.ts'
import { SelectionBar } from './selection-bar.tsx'
import type { useFileLayout } from './use-file-layout.ts'
import type { FileList as LoadedFiles } from './use-file-list.ts'
import type { useFileView } from './use-file-view.ts'
import { type FileSelection, useSelection } from './use-selection.ts'

// Separate scripts, because most visits do not need them. While the first one cannot be loaded, the search stays.
const EmptyFileList = lazy(async () => ({
  default: (await loadScript(() => import('./empty-file-list.tsx'))).EmptyFileList,
}))
const FileGrid = lazy(async () => ({ default: (await import('./file-grid.tsx')).FileGrid }))

type FileListProps = {
  list: LoadedFiles
  view: ReturnType<typeof useFileView>
  layout: ReturnType<typeof useFileLayout>
}

/** The files of a view, with search, selection and actions. */
export function FileList({ list, view, layout }: FileListProps) {
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const [current, change] = view
  const key = formatFileView(current)
  const { hidden } = useDeletions()
  const files = useMemo(
    () => (hidden.size === 0 ? list.stored : list.stored.filter(({ id }) => !hidden.has(id))),
    [list.stored, hidden],
  )
  const readable = useMemo(() => files.filter(isReady), [files])
  const selection = useSelection(files, key)
  const { count, bytes } = useTotal(files, list.hasMore, current)
  const foundCount = !list.isLoading && !list.error && isFiltered(current) ? count : undefined

  useEffect(() => {
    if (foundCount !== undefined) announce(t('files.found', { count: foundCount }))
  }, [foundCount, announce, t])
  const [isSelectingAll, setSelectingAll] = useSelectAll(list, selection)
  const failed = list.error !== null
  const summary = list.isLoading
    ? t('files.searching')
    : count === undefined
      ? ''
      : // Of all files, the storage use above is the size.
        isFiltered(current)
        ? t('files.summary', { count, size: format.bytes(bytes) })
        : t('files.count', { count })
  const empty = files.length === 0
  const isEmptyAccount = empty && !failed && !list.isLoading && !list.hasMore && !isFiltered(current)
  const start = useScrollToStart(key)
  const [isSearchOpen, setSearching] = useState(false)
  const isSearching = isSearchOpen || current.query !== ''
  const rows = {
    files,
    selection,
    hasMore: list.hasMore && !list.loadMoreFailed,
    isFetching: list.isFetching,
    loadMore: list.loadMore,
    setLastVisible: list.setLastVisible,
    busy: list.isLoading,
  }

  return (
    <FileDialogs files={readable} hasMore={list.hasMore} loadMore={list.loadMore}>
      <div ref={start}>
        <Card
          title={t('files.listTitle')}
          titleHidden
          note={!empty && summary}
          headerClass={clsx(
            'max-sm:flex-nowrap max-lg:[&>:first-child]:basis-24 max-sm:gap-x-2 max-sm:pt-0.5 max-sm:pr-1 max-sm:pb-px max-sm:pl-4 sm:px-5 sm:py-3',
            isSearching && 'max-sm:[&>:first-child]:sr-only',
            // On phones, the bar of the selection replaces it.
            selection.files.length > 0 && 'max-sm:hidden',
          )}
          actions={
            !isEmptyAccount && (
              <FileFilters view={view} layout={layout} isSearching={isSearching} onSearching={setSearching} />
            )
          }
        >
          <ErrorNotice error={list.error} onRetry={list.retry} className="m-4" />
          {!empty && (
            <>
              <SelectionBar
                selection={selection}
                loaded={files.length}
                total={count}
                view={view}
                layout={layout[0]}
                onSelectAll={list.hasMore ? () => setSelectingAll(true) : undefined}
                isSelectingAll={isSelectingAll}
              />
              {list.hasChanges && (
                <Notice
                  tone="info"
                  className="m-2"
                  action={<Button onClick={list.showChanges}>{t('files.showChanges')}</Button>}
                >
                  {t('files.hasChanges')}
                </Notice>
              )}
              {layout[0] === 'grid' ? (
                <Suspense
                  fallback={<p className="p-3 text-center text-sm text-ink-soft">{t('common.loading')}</p>}
                >
                  <FileGrid {...rows} />
                </Suspense>
              ) : (
                <FileRows {...rows} />
              )}
              {list.isLoadingMore && (
                <p className="p-3 text-center text-sm text-ink-soft">{t('common.loading')}</p>
              )}
            </>
          )}
          {empty && !failed && renderEmpty()}
        </Card>
      </div>
    </FileDialogs>
  )

  function renderEmpty() {
    if (list.isLoading || list.hasMore)
      return <p className="px-4 py-12 text-center text-sm text-ink-soft">{t('files.searching')}</p>
    return (
      <Suspense>
        <EmptyFileList view={current} updatedAt={list.updatedAt} onReset={() => change(DEFAULT_VIEW)} />
      </Suspense>
    )
  }
}

/** State of selecting all files of the view, which loads page after page first. */
function useSelectAll(
  { hasMore, isFetching, loadMoreFailed, loadMore }: LoadedFiles,
  selection: FileSelection,
) {
  const [isSelecting, setSelecting] = useState(false)
  const { selectAll, ids } = selection
  const isCleared = ids.size === 0
  useEffect(() => {
    if (!isSelecting) return
    if (isCleared || loadMoreFailed) setSelecting(false)
    else if (hasMore && !isFetching) loadMore()
    else if (!hasMore) {
      selectAll()
      setSelecting(false)
    }
  }, [isSelecting, isCleared, loadMoreFailed, hasMore, isFetching, loadMore, selectAll])
  return [isSelecting, setSelecting] as const
}

/** Scrolls to the start of the list when its view changes while the page is scrolled further down. */
function useScrollToStart(view: string) {
  const start = useRef<HTMLDivElement>(null)
  const shown = useRef(view)
  useEffect(() => {
    if (view === shown.current) return
    shown.current = view
    if (start.current && start.current.getBoundingClientRect().top < 0) start.current.scrollIntoView()
  }, [view])
  return start
}

/**
 * Counts the view's files and bytes. Asks the server, which reads all files to count, only if not all are loaded. The
 * server counts files that are ready, so held ones are added: they are the newest, and thus loaded.
 */
function useTotal(loaded: FileItem[], hasMore: boolean, view: FileView): { count?: number; bytes: number } {
  const { data } = useFileTotals(view, hasMore)
  if (!hasMore) return { count: loaded.length, bytes: sum(loaded.map(({ size }) => size)) }
  const held = loaded.filter(isHeld)
  return {
    count: data && held.length + sum(data.items.map(({ files }) => files)),
    bytes: sum([...held.map(({ size }) => size), ...(data?.items.map(({ bytes }) => bytes) ?? [])]),
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
