import { Download, Trash2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { useDownload } from '../download/use-download.ts'
import { isReady } from '../use-file-queries.ts'
import { SelectBox } from './select-box.tsx'
import type { FileSelection } from './use-selection.ts'

type SelectionBarProps = {
  selection: FileSelection
  /** Number of loaded files. */
  loaded: number
  /** Text with the number and size of the list's files. */
  summary: string
}

/** Sticky bar above the rows: selects all loaded files and acts on the selected ones. */
export function SelectionBar({ selection, loaded, summary }: SelectionBarProps) {
  const { t, format } = useMessages()
  const deletions = useDeletions()
  const { progress, start, cancel } = useDownload()
  const { files } = selection
  const count = files.length
  const all = count > 0 && count === loaded
  const readable = files.filter(isReady)
  const size = files.reduce((sum, file) => sum + file.size, 0)

  return (
    <fieldset
      aria-label={t('files.selection')}
      onKeyDown={(event) => event.key === 'Escape' && count > 0 && selection.clear()}
      className="sticky top-14 min-w-0 z-10 flex min-h-12 flex-wrap items-center gap-x-1 border-b border-line bg-surface pr-1 pl-1 sm:pr-2 sm:pl-2 short:static print:hidden"
    >
      <SelectBox
        label={t('files.selectAll')}
        checked={all}
        mixed={count > 0 && !all}
        onChange={() => (all ? selection.clear() : selection.selectAll())}
      />
      <p className="line-clamp-2 min-w-0 flex-1 pl-1 text-sm leading-tight text-ink-soft tabular-nums">
        {progress
          ? t('files.preparingArchive', progress)
          : count > 0
            ? t('files.selectedSize', { count, size: format.bytes(size) })
            : summary}
      </p>
      {progress && (
        <Button variant="ghost" onClick={cancel}>
          {t('common.cancel')}
        </Button>
      )}
      {count > 0 && (
        <>
          {!progress && readable.length > 0 && (
            <Button variant="ghost" aria-label={t('files.downloadSelected')} onClick={() => start(readable)}>
              <Download aria-hidden="true" className="size-4" />
              <span className="max-sm:sr-only">{t('files.download')}</span>
            </Button>
          )}
          <Button
            variant="ghost"
            aria-label={t('files.deleteSelected')}
            onClick={() => {
              deletions.add(files.map(({ id }) => id))
              selection.clear()
            }}
          >
            <Trash2 aria-hidden="true" className="size-4" />
            <span className="max-sm:sr-only">{t('files.deleteConfirm')}</span>
          </Button>
          <IconButton label={t('files.clearSelection')} onClick={selection.clear}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </>
      )}
    </fieldset>
  )
}
