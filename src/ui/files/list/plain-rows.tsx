import { type KeyboardEvent, useRef } from 'react'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import type { FileItem } from '../use-file-queries.ts'
import { FileRow } from './file-row.tsx'
import { useRowKeys } from './use-row-keys.ts'
import type { FileSelection } from './use-selection.ts'

export type FileRowsProps = {
  files: FileItem[]
  selection: FileSelection
  hasMore: boolean
  isFetching: boolean
  loadMore(): void
  setLastVisible(index: number): void
  /** True while the files are still those of the previous view. */
  busy: boolean
}

/** Classes of a list of rows: the last one ends with the rounded corners of its card, with a border of the same height. */
export const ROWS = '[&>:last-child>div]:rounded-b-xl [&>:last-child>div]:border-transparent'

/** The rows of a short list, without virtualization. */
export function PlainRows({ files, selection, busy }: Pick<FileRowsProps, 'files' | 'selection' | 'busy'>) {
  const { t } = useMessages()
  const list = useRef<HTMLUListElement>(null)
  const { focusRow, onFocus, onBlur, ...keys } = useRowKeys(list, files, selection, useDeletions().add)

  function onKeyDown(event: KeyboardEvent) {
    const next = keys.onKeyDown(event)
    if (next !== undefined) focusRow(next, { scroll: true })
  }

  return (
    <ul
      ref={list}
      aria-label={t('files.list')}
      aria-busy={busy}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={onBlur}
      className={ROWS}
    >
      {files.map((file, index) => (
        <li key={file.id} data-index={index} className="scroll-mt-32">
          <FileRow file={file} selected={selection.ids.has(file.id)} onSelect={selection.choose} />
        </li>
      ))}
    </ul>
  )
}
