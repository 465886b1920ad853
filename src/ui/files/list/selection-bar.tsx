import { Download, Trash2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { SortHead } from '../../components/sort-head.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { useDownload } from '../download/use-download.ts'
import { isReady } from '../use-file-queries.ts'
import type { FileLayout } from './file-layout.ts'
import type { FileSort } from './file-view.ts'
import { SelectionToolbar } from './selection-toolbar.tsx'
import type { useFileView } from './use-file-view.ts'
import type { FileSelection } from './use-selection.ts'

type SelectionBarProps = {
  selection: FileSelection
  /** Number of loaded files. */
  loaded: number
  /** Number of the view's files, if known. */
  total: number | undefined
  view: ReturnType<typeof useFileView>
  layout: FileLayout
  /** Loads and selects all files of the view. Undefined: all are loaded. */
  onSelectAll: (() => void) | undefined
  isSelectingAll: boolean
}

/** Sticky bar above the rows: selects all loaded files and acts on the selected ones. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, loaded, total, view, layout, onSelectAll, isSelectingAll } = props
  const { t, format } = useMessages()
  const deletions = useDeletions()
  const { progress, start, cancel } = useDownload()
  const { files } = selection
  const count = files.length
  const all = count > 0 && count === loaded
  const readable = files.filter(isReady)
  const hasHeads = layout === 'list' && count === 0 && !progress
  const [{ sort }, change] = view
  const order = { sort, ascending: ASCENDING, onSort: (sort: FileSort) => change({ sort }) }
  const size = files.reduce((sum, file) => sum + file.size, 0)

  return (
    <SelectionToolbar
      selection={selection}
      loaded={loaded}
      labelClass={hasHeads ? 'lg:hidden' : undefined}
      // Phones select all once a file is selected: the bar then replaces the card's header.
      className={count === 0 && !progress ? 'max-sm:hidden' : 'max-sm:*:rounded-t-[11px]'}
    >
      {hasHeads && (
        <SortHead {...order} label={t('files.sortByName')} sorts={['name']} className="pr-3 pl-15 text-sm" />
      )}
      <p className="line-clamp-2 min-w-0 flex-1 pl-1 text-sm leading-tight text-ink-soft tabular-nums">
        {progress
          ? t('files.preparingArchive', progress)
          : count > 0
            ? t.rich('files.selectedSize', {
                count,
                size: format.bytes(size),
                word: (text) => <span className="max-[22.5rem]:sr-only">{text}</span>,
                more: (text) => <span className="max-[22.5rem]:hidden">{text}</span>,
              })
            : null}
      </p>
      {all && onSelectAll && total !== undefined && total > loaded && (
        <Button variant="ghost" busy={isSelectingAll} onClick={onSelectAll}>
          {isSelectingAll ? t('files.selectingAll') : t('files.selectAllFiles', { count: total })}
        </Button>
      )}
      {hasHeads && (
        <>
          <span className="mr-2 hidden w-32 text-sm text-ink-soft xl:block">{t('files.kindLabel')}</span>
          <SortHead
            {...order}
            label={t('files.sortBySize')}
            sorts={['largest']}
            className="w-24 flex-row-reverse text-sm"
          />
          {/* The margin is as wide as the buttons of a row. */}
          <SortHead
            {...order}
            label={t('files.sortByDate')}
            sorts={['newest', 'oldest']}
            className="mr-33 ml-2 w-36 flex-row-reverse text-sm"
          />
        </>
      )}
      {progress && (
        <Button variant="ghost" onClick={cancel}>
          {t('common.cancel')}
        </Button>
      )}
      {count > 0 && (
        <>
          {!progress && readable.length > 0 && (
            <Button
              variant="ghost"
              className={ICON_ON_PHONES}
              aria-label={t('files.downloadSelected')}
              onClick={() => start(readable)}
            >
              <Download aria-hidden="true" className="size-4" />
              <span className="max-sm:sr-only">{t('files.download')}</span>
            </Button>
          )}
          <Button
            variant="danger-ghost"
            className={ICON_ON_PHONES}
            aria-label={t('files.trashSelected')}
            onClick={() => {
              deletions.add(files.map(({ id }) => id))
              selection.clear()
            }}
          >
            <Trash2 aria-hidden="true" className="size-4" />
            <span className="max-sm:sr-only">{t('files.moveToTrash')}</span>
          </Button>
          <IconButton label={t('files.clearSelection')} onClick={selection.clear}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </>
      )}
    </SelectionToolbar>
  )
}

const ICON_ON_PHONES = 'max-sm:w-11 max-sm:px-0'

const ASCENDING: readonly FileSort[] = ['name', 'oldest']
