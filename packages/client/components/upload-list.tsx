'use client'

import {
  type Uploader,
  type UploadHandle,
  useUnfinishedUploads,
  useUpload,
  useUploads,
} from '@pigeonhole/client/react'
import { type ComponentProps, useId } from 'react'

/** Shows all uploads with their progress, and the ones that an earlier page load did not finish. */
export function UploadList({ uploader }: { uploader: Uploader }) {
  const { uploads, counts, retryable, retryAll } = useUploads(uploader)
  const unfinished = useUnfinishedUploads(uploader)
  const ended = counts.done + counts.failed + counts.cancelled
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-3 text-sm text-foreground">
      <div className="flex flex-wrap items-center gap-x-3">
        <h2 id={headingId} className="me-auto font-medium">
          Uploads
        </h2>
        {retryable.length > 1 && <Action onClick={retryAll}>Retry all</Action>}
        {ended > 0 && <Action onClick={() => uploader.remove()}>Clear list</Action>}
      </div>
      <p role="status" dir="auto" className="text-muted-foreground">
        {summaryOf(counts.done, counts.failed, uploads.length - ended)}
      </p>
      <ul className="flex flex-col gap-3">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {unfinished.items.map((entry) => (
          <li key={entry.fingerprint} className="flex flex-wrap items-center gap-x-3">
            <span className="min-w-0 grow break-words">
              <bdi>{entry.name}</bdi>{' '}
              <span className="text-muted-foreground">Choose this file again to continue.</span>
            </span>
            <Action aria-label={`Discard ${entry.name}`} onClick={() => unfinished.discard(entry)}>
              Discard
            </Action>
          </li>
        ))}
      </ul>
    </section>
  )
}

function UploadRow({ upload }: { upload: UploadHandle }) {
  const { name, size, state, bytesSent, error, pause, resume, cancel, retry } = useUpload(upload)
  const isActive = state === 'uploading' || state === 'starting' || state === 'queued'
  const isPaused = state === 'pausing' || state === 'paused'
  const percent = state === 'done' ? 100 : Math.floor((100 * bytesSent) / size)
  return (
    <li className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3">
        <span dir="auto" className="min-w-0 grow break-words">
          {name}
        </span>
        <span className="text-muted-foreground tabular-nums">
          {state === 'uploading' ? `${percent}%` : STATE_TEXTS[state]}
        </span>
        {isActive && (
          <Action aria-label={`Pause ${name}`} onClick={pause}>
            Pause
          </Action>
        )}
        {isPaused && (
          <Action aria-label={`Resume ${name}`} onClick={resume}>
            Resume
          </Action>
        )}
        {(isActive || isPaused) && (
          <Action aria-label={`Cancel ${name}`} onClick={cancel}>
            Cancel
          </Action>
        )}
        {error?.retryable && state === 'failed' && (
          <Action aria-label={`Retry ${name}`} onClick={retry}>
            Retry
          </Action>
        )}
      </div>
      {(isActive || isPaused || state === 'verifying') && (
        <progress
          aria-label={name}
          value={percent}
          max={100}
          className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-muted [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-muted [&::-webkit-progress-value]:bg-primary"
        />
      )}
      {error !== null && (
        <p role="alert" dir="auto" className="text-destructive">
          {error.message}
        </p>
      )}
    </li>
  )
}

const STATE_TEXTS = {
  queued: 'Waiting',
  starting: 'Starting',
  uploading: 'Uploading',
  pausing: 'Pausing',
  paused: 'Paused',
  verifying: 'Checking',
  done: 'Uploaded',
  failed: 'Failed',
  cancelled: 'Canceled',
}

function summaryOf(done: number, failed: number, active: number): string {
  const texts = [
    active > 0 && `${active} in progress`,
    done > 0 && `${done} uploaded`,
    failed > 0 && `${failed} failed`,
  ]
  return texts.filter((text) => text !== false).join(', ') || 'No uploads yet'
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
