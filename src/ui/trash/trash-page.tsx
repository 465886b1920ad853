'use client'

import { Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { Card } from '../components/card.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { PagedRows } from '../components/paged-rows.tsx'
import { useClients } from '../context/use-clients.ts'
import { useDeletions } from '../files/deletion/use-deletions.ts'
import { DEFAULT_VIEW } from '../files/list/file-view.ts'
import { useRowKeys } from '../files/list/use-row-keys.ts'
import { useSelection } from '../files/list/use-selection.ts'
import { useFileTotals } from '../files/use-file-queries.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { BackLink } from '../layout/back-link.tsx'
import { TrashRow } from './trash-row.tsx'
import { TrashSelectionBar } from './trash-selection-bar.tsx'
import { type TrashData, useRefreshTrash, useTrash } from './use-trash.ts'

/** Deleted files, which users can restore or permanently delete. */
export function TrashPage({ files }: { files: TrashData }) {
  const { client } = useClients()
  const { t, format } = useMessages()
  const list = useTrash(files)
  const refresh = useRefreshTrash()
  const { data: totals } = useFileTotals(DEFAULT_VIEW)
  const { sending, deleteNow } = useDeletions()
  const { pages } = list.data
  const items = useMemo(() => pages.flatMap((page) => page.items), [pages])
  const selection = useSelection(items, '')
  const rows = useRef<HTMLUListElement>(null)
  const { focusRow, onFocus, onBlur, ...keys } = useRowKeys(rows, items, selection, undefined)

  function onKeyDown(event: KeyboardEvent) {
    const next = keys.onKeyDown(event)
    if (next !== undefined) focusRow(next, { scroll: true })
  }

  // Files that were just deleted reach the trash when the undo period ends.
  useEffect(() => deleteNow(), [deleteNow])
  useEffect(() => {
    if (sending === 0) void refresh()
  }, [sending, refresh])

  // The size includes thumbnails, because emptying the trash frees their storage too.
  const trash = totals && { count: totals.trash.files, size: format.bytes(totals.trash.bytes) }
  return (
    <div className="space-y-4 sm:space-y-6">
      <div>
        <BackLink href="/">{t('files.title')}</BackLink>
        <h1 className="mt-1 text-xl font-semibold tracking-tight sm:text-2xl">{t('trash.title')}</h1>
      </div>
      <Card
        title={t('trash.list')}
        titleHidden
        headerClass={items.length === 0 ? 'sr-only' : undefined}
        note={items.length > 0 && trash && t('files.summary', trash)}
        description={items.length > 0 && t('trash.text')}
      >
        <PagedRows
          label={t('trash.list')}
          list={list}
          items={items}
          listProps={{ ref: rows, onKeyDown, onFocus, onBlur }}
          head={
            <TrashSelectionBar selection={selection} loaded={items.length}>
              <DeleteButton
                variant="danger-ghost"
                className="ml-auto max-sm:px-3"
                label={t('trash.empty')}
                title={t('trash.emptyQuestion')}
                description={trash ? t('trash.emptyText', trash) : t('trash.emptyAllText')}
                confirmLabel={t('trash.empty')}
                doneText={t('trash.emptied')}
                onConfirm={() => client.files.emptyTrash.mutate()}
                onDeleted={refresh}
              />
            </TrashSelectionBar>
          }
          row={(file, index) => (
            <TrashRow
              key={file.id}
              file={file}
              index={index}
              selected={selection.ids.has(file.id)}
              onSelect={selection.choose}
            />
          )}
          empty={
            <EmptyState icon={Trash2} title={t('trash.nothing')}>
              {t('trash.nothingText')}
            </EmptyState>
          }
        />
      </Card>
    </div>
  )
}
