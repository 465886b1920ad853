'use client'

import { formatBytes } from '@pigeonhole/client/format'
import { Check, Download, Link2, Trash2 } from 'lucide-react'
import { memo, useEffect, useState } from 'react'
import { IconButton } from '../parts/button.tsx'
import { LocalTime } from '../parts/local-time.tsx'
import { AskFirst } from '../shell/ask-first.tsx'
import { useEngine } from '../shell/context.tsx'
import { copyText } from './copy-text.ts'
import { type FileItem, useForget, useRefresh } from './queries.ts'
import { Thumbnail } from './thumbnail.tsx'
import { typeName } from './type-icon.tsx'

const COPIED_MS = 2000

export const FileRow = memo(function FileRow({ file }: { file: FileItem }) {
  const { filename, mimeType, size, createdAt } = file
  // The address of the app itself, also where the operator has put a CDN in front of the store.
  const here = `/files/${file.id}`
  return (
    <li className="row-lazy flex items-center gap-3 px-4 py-2.5 sm:gap-4 sm:px-5">
      <Thumbnail file={file} />
      <div className="min-w-0 flex-1">
        <a
          href={here}
          target="_blank"
          rel="noreferrer"
          title={filename}
          dir="auto"
          className="block truncate text-left rounded-sm font-medium hover:text-accent hover:underline"
        >
          {filename}
        </a>
        <p className="truncate text-sm text-ink-soft tabular-nums">
          <span className="hidden sm:inline">{typeName(mimeType)} · </span>
          {formatBytes(size)}
          <span className="sm:hidden">
            {' · '}
            <LocalTime at={createdAt} dayOnly />
          </span>
        </p>
      </div>
      <p className="hidden w-36 shrink-0 text-right text-sm text-ink-soft tabular-nums sm:block">
        <LocalTime at={createdAt} />
      </p>
      <div className="-mr-3 flex shrink-0">
        <a
          href={`${here}?download`}
          aria-label={`Download ${filename}`}
          title="Download"
          className="hidden size-10 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink sm:inline-flex"
        >
          <Download aria-hidden="true" className="size-4" />
        </a>
        <CopyLink file={file} />
        <Delete file={file} />
      </div>
    </li>
  )
})

function CopyLink({ file: { filename, url } }: { file: FileItem }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <>
      <IconButton
        label={`Copy the link of ${filename}`}
        disabled={url === null}
        onClick={async () => setCopied(await copyText(url ?? ''))}
      >
        {copied ? (
          <Check aria-hidden="true" className="size-4 text-accent" />
        ) : (
          <Link2 aria-hidden="true" className="size-4" />
        )}
      </IconButton>
      <span role="status" className="sr-only">
        {copied ? 'Link copied' : ''}
      </span>
    </>
  )
}

function Delete({ file: { id, filename, size } }: { file: FileItem }) {
  const { client } = useEngine()
  const forget = useForget()
  const refresh = useRefresh()
  return (
    <AskFirst
      button={(ask) => (
        <IconButton label={`Delete ${filename}`} onClick={ask}>
          <Trash2 aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      title="Delete this file?"
      text={
        <>
          <bdi className="font-medium text-ink">{filename}</bdi> ({formatBytes(size)}) will be gone for good,
          and links to it stop working.
        </>
      }
      action="Delete"
      run={() => client.files.delete.mutate({ fileId: id })}
      onDone={() => {
        forget(id)
        refresh()
      }}
    />
  )
}
