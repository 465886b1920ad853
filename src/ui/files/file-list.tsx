'use client'

import { FolderOpen, Search, SearchX } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Notice } from '../components/notice.tsx'
import { inputClass } from '../components/text-field.tsx'
import { errorMessage } from '../context/error-message.ts'
import { FileRow } from './file-row.tsx'
import type { useFiles } from './use-file-queries.ts'

/** The uploaded files, newest first. */
export function FileList({ list }: { list: ReturnType<typeof useFiles> }) {
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
      title="Your files"
      actions={
        <label className="relative block w-full sm:w-64">
          <span className="sr-only">Search your files by name</span>
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-3.5 left-3 size-4 text-ink-soft"
          />
          <input
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            placeholder="Search by name"
            className={`${inputClass} pl-9 text-sm`}
          />
        </label>
      }
    >
      <p role="status" className="sr-only">
        {query && !loadingAll ? `${shown.length} ${shown.length === 1 ? 'file' : 'files'} found` : ''}
      </p>
      {error && (
        <Notice tone="error" className="m-4" action={<Button onClick={() => refetch()}>Try again</Button>}>
          {errorMessage(error)}
        </Notice>
      )}
      {shown.length > 0 ? (
        <ul aria-label="Files" className="divide-y divide-line">
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
            {isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </Card>
  )
}

function EmptyFileList({ search, loadingAll }: { search: string; loadingAll: boolean }) {
  if (search === '')
    return (
      <EmptyState icon={FolderOpen} title="No files yet">
        Drop files anywhere on this page, or choose them above.
      </EmptyState>
    )
  if (loadingAll) return <EmptyState icon={Search} title="Searching…" />
  return (
    <EmptyState
      icon={SearchX}
      title={
        <>
          No files match “<bdi>{search}</bdi>”
        </>
      }
    >
      Search for a part of the file name.
    </EmptyState>
  )
}
