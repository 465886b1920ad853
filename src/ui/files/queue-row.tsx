'use client'

import type { UploadHandle, UploadSnapshot } from '@pigeonhole/client/browser'
import { formatBytes, formatSeconds } from '@pigeonhole/client/format'
import { Pause, Play, RotateCcw, X } from 'lucide-react'
import { memo, useSyncExternalStore } from 'react'
import { Bar } from '../parts/bar.tsx'
import { IconButton } from '../parts/button.tsx'
import { passFocusOn } from '../parts/focus.ts'
import { useEngine } from '../shell/context.tsx'
import { TypeIcon } from './type-icon.tsx'

/** One upload; only this row is drawn again when it moves. */
export const QueueRow = memo(function QueueRow({ upload }: { upload: UploadHandle }) {
  const one = useSyncExternalStore(upload.subscribe, upload.getSnapshot, upload.getSnapshot)
  const { name, size, bytesSent, state, error, warning } = one
  const quiet = state === 'paused' || state === 'queued'
  return (
    <li className="row-lazy flex items-center gap-3 px-4 py-3 sm:px-5" data-state={state}>
      {/* A phone has no room for what the name says as well. */}
      <TypeIcon mimeType={one.mimeType} className="max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-left text-sm font-medium" title={name} dir="auto">
          {name}
        </p>
        {state === 'failed' ? (
          <p className="text-sm text-danger">{error?.message}</p>
        ) : (
          <>
            <Bar
              label={name}
              value={size === 0 ? 0 : bytesSent / size}
              text={status(one)}
              tone={quiet ? 'soft' : 'accent'}
              className="my-1.5"
            />
            <p className="truncate text-sm text-ink-soft tabular-nums">
              {status(one)}
              {one.speedBytesPerSecond > 0 && (
                <span className="max-sm:hidden"> · {formatBytes(one.speedBytesPerSecond)}/s</span>
              )}
              {one.file && (
                <>
                  {' · '}
                  <a
                    href={`/files/${one.file.id}`}
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
      <Buttons upload={upload} one={one} />
    </li>
  )
})

function status({ state, size, bytesSent, secondsLeft, pauseReason }: UploadSnapshot): string {
  const sent = `${formatBytes(bytesSent)} of ${formatBytes(size)}`
  switch (state) {
    case 'queued':
      return bytesSent > 0 ? `Waiting · ${sent}` : `Waiting · ${formatBytes(size)}`
    case 'starting':
      return `Starting · ${formatBytes(size)}`
    case 'verifying':
      return `Checking · ${formatBytes(size)}`
    case 'paused':
      if (pauseReason === 'offline') return `Waiting for the network · ${sent}`
      if (pauseReason === 'signed-out') return `Waiting for you to sign in · ${sent}`
      return `Paused · ${sent}`
    case 'uploading':
      return secondsLeft === null ? sent : `${sent} · ${formatSeconds(secondsLeft)} left`
    case 'done':
      return `Uploaded · ${formatBytes(size)}`
    default:
      return formatBytes(size)
  }
}

function Buttons({
  upload,
  one: { name, state, pauseReason, error },
}: {
  upload: UploadHandle
  one: UploadSnapshot
}) {
  const { uploader } = useEngine()
  const ended = state === 'done' || state === 'failed' || state === 'cancelled'
  const other = otherButton()
  return (
    <div className="-mr-3 flex shrink-0">
      {/* One button that changes: as another one it would lose the focus. */}
      {other && (
        <IconButton label={other.label} onClick={other.act}>
          <other.Icon aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      <IconButton
        label={ended ? `Remove ${name} from the list` : `Cancel ${name}`}
        onClick={(event) => {
          passFocusOn(event.currentTarget)
          if (state !== 'done') upload.cancel()
          uploader.remove(upload)
        }}
      >
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  )

  function otherButton() {
    if (state === 'uploading' || state === 'starting' || state === 'queued')
      return { label: `Pause ${name}`, Icon: Pause, act: () => upload.pause() }
    if (state === 'paused' && pauseReason !== 'offline')
      return { label: `Resume ${name}`, Icon: Play, act: () => upload.resume() }
    if (state === 'failed' && error?.retryable)
      return { label: `Try ${name} again`, Icon: RotateCcw, act: () => upload.retry() }
    return null
  }
}
