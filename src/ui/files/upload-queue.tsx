'use client'

import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { formatBytes, formatSeconds } from '@pigeonhole/client/format'
import { Pause, Play, X } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Button } from '../components/button.tsx'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { Notice } from '../components/notice.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useClients } from '../context/use-clients.ts'
import { useUploads } from '../context/use-uploads.ts'
import { UploadAnnouncer } from './upload-announcer.tsx'
import { UploadQueueRow } from './upload-queue-row.tsx'

/** The uploads of this page and their total progress. Renders nothing visible while there are none. */
export function UploadQueue() {
  const { uploader } = useClients()
  const snapshot = useUploads()
  const { uploads, counts, size, bytesSent, online } = snapshot
  if (uploads.length === 0) return <UploadAnnouncer snapshot={snapshot} />
  const active = counts.queued + counts.starting + counts.uploading
  const unfinished = active + counts.paused + counts.verifying

  function clear(event: MouseEvent<HTMLElement>) {
    moveFocusBeforeRemoval(event.currentTarget)
    if (unfinished > 0) uploader.cancelAll()
    uploader.remove()
  }

  return (
    <section
      aria-label="Uploads"
      className="overflow-hidden rounded-xl border border-line bg-surface shadow-card"
    >
      <header className="border-b border-line px-4 py-3 sm:px-5">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <div className="min-w-0">
            <h2 className="text-base font-semibold">{title(snapshot, unfinished)}</h2>
            {size > 0 && (
              <p className="text-sm text-ink-soft tabular-nums">{progressText(snapshot, unfinished)}</p>
            )}
          </div>
          <div className="-mx-4 flex flex-wrap gap-1">
            {active + counts.paused > 0 && (
              <Button
                variant="ghost"
                onClick={() => (active > 0 ? uploader.pauseAll() : uploader.resumeAll())}
              >
                {active > 0 ? (
                  <Pause aria-hidden="true" className="size-4" />
                ) : (
                  <Play aria-hidden="true" className="size-4" />
                )}
                {active > 0 ? 'Pause all' : 'Resume all'}
              </Button>
            )}
            <Button variant="ghost" onClick={clear}>
              <X aria-hidden="true" className="size-4" />
              {unfinished > 0 ? 'Cancel all' : 'Clear list'}
            </Button>
          </div>
        </div>
        {size > 0 && (
          <ProgressBar
            label="All uploads"
            value={bytesSent / size}
            valueText={`${formatBytes(bytesSent)} of ${formatBytes(size)}`}
            tone={counts.paused > 0 && active === 0 ? 'muted' : 'accent'}
            className="mt-3"
          />
        )}
      </header>
      {!online && (
        <Notice tone="warning" className="mx-4 mt-3">
          You are offline. Uploads will resume when the connection is back.
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard */}
      <section aria-label="Files being uploaded" tabIndex={0} className="max-h-[28rem] overflow-y-auto">
        <ul className="divide-y divide-line">
          {uploads.map((upload) => (
            <UploadQueueRow key={upload.id} upload={upload} />
          ))}
        </ul>
      </section>
      <UploadAnnouncer snapshot={snapshot} />
    </section>
  )
}

function title({ uploads, counts }: UploaderSnapshot, unfinished: number): string {
  if (unfinished > 0 && counts.paused === unfinished) return `${plural(unfinished, 'upload')} paused`
  if (unfinished > 0) {
    const position = Math.min(counts.done + counts.failed + 1, uploads.length)
    return uploads.length === 1 ? 'Uploading 1 file' : `Uploading ${position} of ${uploads.length} files`
  }
  if (counts.failed === 0) return `${plural(counts.done, 'file')} uploaded`
  if (counts.done === 0) return `${plural(counts.failed, 'upload')} failed`
  return `${counts.done} uploaded, ${counts.failed} failed`
}

function progressText(snapshot: UploaderSnapshot, unfinished: number): string {
  const { size, bytesSent, speedBytesPerSecond, secondsLeft } = snapshot
  if (unfinished === 0) return formatBytes(bytesSent)
  const texts = [`${formatBytes(bytesSent)} of ${formatBytes(size)}`]
  if (speedBytesPerSecond > 0) texts.push(`${formatBytes(speedBytesPerSecond)}/s`)
  if (secondsLeft !== null) texts.push(`${formatSeconds(secondsLeft)} left`)
  return texts.join(' · ')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
