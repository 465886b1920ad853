'use client'

import { FolderOpen, Search, SearchX } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Empty } from '../parts/empty.tsx'
import { Notice } from '../parts/notice.tsx'
import { inputClass } from '../parts/text-field.tsx'
import { wordsFor } from '../shell/context.tsx'
import { FileRow } from './file-row.tsx'
import type { useFiles } from './queries.ts'

/** Every file that is there to open, newest first. */
export function FileList({ list }: { list: ReturnType<typeof useFiles> }) {
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, data, error, refetch } = list

  // Names are compared here, so a search has to have seen all of them.
  const reading = wanted !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (reading && !isFetchingNextPage) void fetchNextPage()
  }, [reading, isFetchingNextPage, fetchNextPage])

  const ready = data.pages.flatMap((page) => page.items).filter(({ state }) => state === 'READY')
  const shown =
    wanted === '' ? ready : ready.filter(({ filename }) => filename.toLowerCase().includes(wanted))

  return (
    <Card
      title="Your files"
      aside={
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
        {wanted && !reading ? `${shown.length} ${shown.length === 1 ? 'file' : 'files'} found` : ''}
      </p>
      {error && (
        <Notice tone="error" className="m-4" action={<Button onClick={() => refetch()}>Try again</Button>}>
          {wordsFor(error)}
        </Notice>
      )}
      {shown.length > 0 ? (
        <ul aria-label="Files" className="divide-y divide-line">
          {shown.map((file) => (
            <FileRow key={file.id} file={file} />
          ))}
        </ul>
      ) : (
        !error && <NothingToShow search={search.trim()} reading={reading} />
      )}
      {hasNextPage && wanted === '' && (
        <div className="flex justify-center border-t border-line p-3">
          <Button look="quiet" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {isFetchingNextPage ? 'Loading …' : 'Show more'}
          </Button>
        </div>
      )}
    </Card>
  )
}

function NothingToShow({ search, reading }: { search: string; reading: boolean }) {
  if (search === '')
    return (
      <Empty icon={FolderOpen} title="No files yet">
        Drop some onto this page or choose them above. They go straight to the store and show up here.
      </Empty>
    )
  if (reading) return <Empty icon={Search} title="Searching …" />
  return (
    <Empty
      icon={SearchX}
      title={
        <>
          No file has “<bdi>{search}</bdi>” in its name
        </>
      }
    >
      Try fewer letters.
    </Empty>
  )
}
