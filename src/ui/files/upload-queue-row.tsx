'use client'

import type { UploadHandle, UploadSnapshot } from '@pigeonhole/client/browser'
import { formatBytes, formatSeconds } from '@pigeonhole/client/format'
import { Pause, Play, RotateCcw, X } from 'lucide-react'
import { memo, useSyncExternalStore } from 'react'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { IconButton } from '../components/icon-button.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useClients } from '../context/use-clients.ts'
import { FileTypeIcon } from './file-type-icon.tsx'

/** One upload. It subscribes to its own upload, so progress redraws this row only. */
export const UploadQueueRow = memo(function UploadQueueRow({ upload }: { upload: UploadHandle }) {
  const snapshot = useSyncExternalStore(upload.subscribe, upload.getSnapshot, upload.getSnapshot)
  const { name, size, bytesSent, state, error, warning } = snapshot
  const muted = state === 'paused' || state === 'queued'
  return (
    <li className="row-lazy flex items-center gap-3 px-4 py-3 sm:px-5" data-state={state}>
      {/* Left out on phones, where space is short: the name has an extension. */}
      <FileTypeIcon mimeType={snapshot.mimeType} className="max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-left text-sm font-medium" title={name} dir="auto">
          {name}
        </p>
        {state === 'failed' ? (
          <p className="text-sm text-danger">{error?.message}</p>
        ) : (
          <>
            <ProgressBar
              label={name}
              value={size === 0 ? 0 : bytesSent / size}
              valueText={statusText(snapshot)}
              tone={muted ? 'muted' : 'accent'}
              className="my-1.5"
            />
            <p className="truncate text-sm text-ink-soft tabular-nums">
              {statusText(snapshot)}
              {snapshot.speedBytesPerSecond > 0 && (
                <span className="max-sm:hidden"> · {formatBytes(snapshot.speedBytesPerSecond)}/s</span>
              )}
              {snapshot.file && (
                <>
                  {' · '}
                  <a
                    href={`/files/${snapshot.file.id}`}
                    target="_blank"
                    rel="noreferrer"
                    className="text-accent underline underline-offset-2"
                  >
                    Open<span className="sr-only"> {name}</span>
                  </a>
                </>
              )}
            </p>
          </>
        )}
        {warning && <p className="text-sm text-warn">{warning}</p>}
      </div>
      <UploadButtons upload={upload} snapshot={snapshot} />
    </li>
  )
})

function statusText({ state, size, bytesSent, secondsLeft, pauseReason }: UploadSnapshot): string {
  const sent = `${formatBytes(bytesSent)} of ${formatBytes(size)}`
  switch (state) {
    case 'queued':
      return bytesSent > 0 ? `Waiting · ${sent}` : `Waiting · ${formatBytes(size)}`
    case 'starting':
      return `Starting · ${formatBytes(size)}`
    case 'verifying':
      return `Checking · ${formatBytes(size)}`
    case 'paused':
      if (pauseReason === 'offline') return `Offline · ${sent}`
      if (pauseReason === 'signed-out') return `Signed out · ${sent}`
      return `Paused · ${sent}`
    case 'uploading':
      return secondsLeft === null ? sent : `${sent} · ${formatSeconds(secondsLeft)} left`
    case 'done':
      return `Uploaded · ${formatBytes(size)}`
    default:
      return formatBytes(size)
  }
}

function UploadButtons({
  upload,
  snapshot: { name, state, pauseReason, error },
}: {
  upload: UploadHandle
  snapshot: UploadSnapshot
}) {
  const { uploader } = useClients()
  const ended = state === 'done' || state === 'failed' || state === 'cancelled'
  const toggle = toggleButton()
  return (
    <div className="-mr-3 flex shrink-0">
      {/* One button whose label changes: replacing it would lose the focus. */}
      {toggle && (
        <IconButton label={toggle.label} onClick={toggle.onClick}>
          <toggle.Icon aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      <IconButton
        label={ended ? `Remove ${name} from the list` : `Cancel ${name}`}
        onClick={(event) => {
          moveFocusBeforeRemoval(event.currentTarget)
          if (state !== 'done') upload.cancel()
          uploader.remove(upload)
        }}
      >
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  )

  function toggleButton() {
    if (state === 'uploading' || state === 'starting' || state === 'queued')
      return { label: `Pause ${name}`, Icon: Pause, onClick: () => upload.pause() }
    if (state === 'paused' && pauseReason !== 'offline')
      return { label: `Resume ${name}`, Icon: Play, onClick: () => upload.resume() }
    if (state === 'failed' && error?.retryable)
      return { label: `Retry ${name}`, Icon: RotateCcw, onClick: () => upload.retry() }
    return null
  }
}
