'use client'

import {
  type Client,
  type FilesFilter,
  type Uploader,
  type UserFile,
  useFiles,
  useUploads,
} from '@pigeonhole/client/react'
import { type ComponentProps, useEffect, useId, useRef, useState } from 'react'

type Props = {
  client: Client
  /** Its finished uploads appear in the list. */
  uploader: Uploader
  filter?: FilesFilter
}

/** Lists the user's files, with buttons to download and delete them. */
export function FileList({ client, uploader, filter }: Props) {
  const { items, status, error, hasMore, loadMore, refresh, remove, downloadUrl } = useFiles(client, filter)
  const { done } = useUploads(uploader).counts
  const heading = useRef<HTMLHeadingElement>(null)
  const headingId = useId()

  useEffect(() => {
    if (done > 0) void refresh()
  }, [done, refresh])

  async function download(fileId: string) {
    // The response is an attachment, so this page stays open.
    location.assign(await downloadUrl(fileId))
  }
  async function removeFile(fileId: string) {
    await remove(fileId)
    // The button that had the focus is gone.
    heading.current?.focus()
  }

  return (
    <section
      aria-labelledby={headingId}
      aria-busy={status === 'loading'}
      className="flex flex-col gap-3 text-sm text-foreground"
    >
      <h2 ref={heading} id={headingId} tabIndex={-1} className="font-medium">
        Files
      </h2>
      {error && (
        <p role="alert" className="text-destructive">
          {error.message} <Action onClick={refresh}>Try again</Action>
        </p>
      )}
      {status === 'loading' && <p className="text-muted-foreground">Loading files</p>}
      {status === 'ready' && items.length === 0 && <p className="text-muted-foreground">No files yet</p>}
      <ul className="divide-y divide-border">
        {items.map((file) => (
          <FileRow key={file.id} file={file} onDownload={download} onDelete={removeFile} />
        ))}
      </ul>
      {hasMore && <Action onClick={loadMore}>Show more files</Action>}
    </section>
  )
}

type RowProps = {
  file: UserFile
  onDownload(fileId: string): Promise<void>
  onDelete(fileId: string): Promise<void>
}

function FileRow({ file: { id, filename, size, state, createdAt }, onDownload, onDelete }: RowProps) {
  const [step, setStep] = useState<'idle' | 'confirming' | 'kept'>('idle')
  const [error, setError] = useState<string>()
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-1">
      <div className="min-w-0 grow basis-36">
        <p dir="auto" className="break-words">
          {filename}
        </p>
        <p className="text-muted-foreground">
          <bdi>{state === 'READY' ? formatSize(size) : STATE_TEXTS[state]}</bdi>
          {' · '}
          <time dateTime={createdAt} suppressHydrationWarning>
            <bdi>{new Date(createdAt).toLocaleDateString()}</bdi>
          </time>
        </p>
        {error !== undefined && (
          <p role="alert" dir="auto" className="text-destructive">
            {error}
          </p>
        )}
      </div>
      <div className="-me-2 flex gap-x-1">
        {step === 'confirming' ? (
          <>
            <Action key="confirm" aria-label={`Delete ${filename} permanently`} onClick={() => onDelete(id)}>
              Delete permanently
            </Action>
            <Action key="keep" aria-label={`Keep ${filename}`} onClick={() => setStep('kept')} autoFocus>
              Keep
            </Action>
          </>
        ) : (
          <>
            {state === 'READY' && (
              <Action
                key="download"
                aria-label={`Download ${filename}`}
                onClick={() => {
                  setError(undefined)
                  onDownload(id).catch((cause: Error) => setError(cause.message))
                }}
              >
                Download
              </Action>
            )}
            <Action
              key="delete"
              aria-label={`Delete ${filename}`}
              onClick={() => setStep('confirming')}
              autoFocus={step === 'kept'}
            >
              Delete
            </Action>
          </>
        )}
      </div>
    </li>
  )
}

const STATE_TEXTS: Record<Exclude<UserFile['state'], 'READY'>, string> = {
  PENDING: 'Not uploaded yet',
  UPLOADING: 'Not uploaded yet',
  HELD: 'Being checked',
  ABORTED: 'Canceled',
  EXPIRED: 'Expired',
  REJECTED: 'Rejected',
}

function formatSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), 4)
  const value = bytes / 1024 ** unit
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${['B', 'KB', 'MB', 'GB', 'TB'][unit]}`
}

function Action(props: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className="min-h-11 rounded-md px-2 font-medium text-foreground underline-offset-4 hover:underline focus-visible:outline-2 focus-visible:outline-ring"
      {...props}
    />
  )
}
