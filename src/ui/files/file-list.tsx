'use client'

import { FolderOpen, Search, SearchX } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Notice } from '../components/notice.tsx'
import { inputClass } from '../components/text-field.tsx'
import { errorText } from '../context/error-text.ts'
import { UploadGuide } from '../guidance/guides.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { FileRow } from './file-row.tsx'
import type { useFiles } from './use-file-queries.ts'

/** The uploaded files, newest first. */
export function FileList({ list }: { list: ReturnType<typeof useFiles> }) {
  const { t } = useWords()
  const [search, setSearch] = useState('')
  const query = useDeferredValue(search.trim().toLowerCase())
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, data, error, refetch } = list

  // The search compares names in the browser, so it needs all pages.
  const loadingAll = query !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (loadingAll && !isFetchingNextPage) void fetchNextPage()
  }, [loadingAll, isFetchingNextPage, fetchNextPage])

  const ready = data.pages.flatMap((page) => page.items).filter(({ state }) => state === 'READY')
  const shown = query === '' ? ready : ready.filter(({ filename }) => filename.toLowerCase().includes(query))

  return (
    <Card
      title={t('files.listTitle')}
      actions={
        <label className="relative block w-full sm:w-64">
          <span className="sr-only">{t('files.searchLabel')}</span>
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-3.5 left-3 size-4 text-ink-soft"
          />
          <input
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            placeholder={t('files.search')}
            className={`${inputClass} pl-9 text-sm`}
          />
        </label>
      }
    >
      <p role="status" className="sr-only">
        {query && !loadingAll ? t('files.found', { count: shown.length }) : ''}
      </p>
      {error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => refetch()}>{t('common.tryAgain')}</Button>}
        >
          {errorText(t, error)}
        </Notice>
      )}
      {shown.length > 0 ? (
        <ul aria-label={t('files.list')} className="divide-y divide-line">
          {shown.map((file) => (
            <FileRow key={file.id} file={file} />
          ))}
        </ul>
      ) : (
        !error && <EmptyFileList search={search.trim()} loadingAll={loadingAll} />
      )}
      {hasNextPage && query === '' && (
        <div className="flex justify-center border-t border-line p-3">
          <Button variant="ghost" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {isFetchingNextPage ? t('common.loading') : t('common.showMore')}
          </Button>
        </div>
      )}
    </Card>
  )
}

function EmptyFileList({ search, loadingAll }: { search: string; loadingAll: boolean }) {
  const { t } = useWords()
  if (search === '')
    return (
      <EmptyState icon={FolderOpen} title={t('files.emptyTitle')} guide={<UploadGuide />}>
        {t('files.emptyText')}
      </EmptyState>
    )
  if (loadingAll) return <EmptyState icon={Search} title={t('files.searching')} />
  return (
    <EmptyState
      icon={SearchX}
      title={t.rich('files.noMatchTitle', { text: search, query: (text) => <bdi>{text}</bdi> })}
    >
      {t('files.noMatchText')}
    </EmptyState>
  )
}
