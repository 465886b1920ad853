'use client'

import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { formatBytes, formatSeconds } from '@pigeonhole/client/format'
import { Pause, Play, X } from 'lucide-react'
import { Bar } from '../parts/bar.tsx'
import { Button } from '../parts/button.tsx'
import { passFocusOn } from '../parts/focus.ts'
import { Notice } from '../parts/notice.tsx'
import { useEngine, useUploads } from '../shell/context.tsx'
import { QueueAnnouncer } from './queue-announcer.tsx'
import { QueueRow } from './queue-row.tsx'

/** What is on its way, one by one and together. Not there while there is nothing. */
export function Queue() {
  const { uploader } = useEngine()
  const all = useUploads()
  const { uploads, counts } = all
  if (uploads.length === 0) return <QueueAnnouncer all={all} />
  const moving = counts.queued + counts.starting + counts.uploading
  const open = moving + counts.paused + counts.verifying
  return (
    <section
      aria-label="Uploads"
      className="overflow-hidden rounded-xl border border-line bg-surface shadow-card"
    >
      <header className="border-b border-line px-4 py-3 sm:px-5">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <div className="min-w-0">
            <h2 className="text-base font-semibold">{title(all, open)}</h2>
            {all.size > 0 && <p className="text-sm text-ink-soft tabular-nums">{figures(all, open)}</p>}
          </div>
          <div className="-mx-4 flex flex-wrap gap-1">
            {moving + counts.paused > 0 && (
              <Button look="quiet" onClick={() => (moving > 0 ? uploader.pauseAll() : uploader.resumeAll())}>
                {moving > 0 ? (
                  <Pause aria-hidden="true" className="size-4" />
                ) : (
                  <Play aria-hidden="true" className="size-4" />
                )}
                {moving > 0 ? 'Pause all' : 'Resume all'}
              </Button>
            )}
            <Button
              look="quiet"
              onClick={(event) => {
                passFocusOn(event.currentTarget)
                if (open > 0) uploader.cancelAll()
                uploader.remove()
              }}
            >
              <X aria-hidden="true" className="size-4" />
              {open > 0 ? 'Cancel all' : 'Clear list'}
            </Button>
          </div>
        </div>
        {all.size > 0 && (
          <Bar
            label="All uploads"
            value={all.bytesSent / all.size}
            text={`${formatBytes(all.bytesSent)} of ${formatBytes(all.size)}`}
            tone={counts.paused > 0 && moving === 0 ? 'soft' : 'accent'}
            className="mt-3"
          />
        )}
      </header>
      {!all.online && (
        <Notice tone="warning" className="mx-4 mt-3">
          There is no network. Uploads go on by themselves when it is back.
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <section aria-label="Files being uploaded" tabIndex={0} className="max-h-[28rem] overflow-y-auto">
        <ul className="divide-y divide-line">
          {uploads.map((upload) => (
            <QueueRow key={upload.id} upload={upload} />
          ))}
        </ul>
      </section>
      <QueueAnnouncer all={all} />
    </section>
  )
}

function title({ uploads, counts }: UploaderSnapshot, open: number): string {
  if (open > 0 && counts.paused === open)
    return open === 1 ? '1 upload is waiting' : `${open} uploads are waiting`
  if (open > 0) {
    const place = counts.done + counts.failed + 1
    return uploads.length === 1
      ? 'Uploading 1 file'
      : `Uploading ${Math.min(place, uploads.length)} of ${uploads.length} files`
  }
  if (counts.failed === 0) return uploads.length === 1 ? 'Uploaded' : `${counts.done} files uploaded`
  return counts.done === 0
    ? `${counts.failed === 1 ? '1 file' : `${counts.failed} files`} not uploaded`
    : `${counts.done} uploaded, ${counts.failed} not`
}

function figures(all: UploaderSnapshot, open: number): string {
  if (open === 0) return formatBytes(all.bytesSent)
  const parts = [`${formatBytes(all.bytesSent)} of ${formatBytes(all.size)}`]
  if (all.speedBytesPerSecond > 0) parts.push(`${formatBytes(all.speedBytesPerSecond)}/s`)
  if (all.secondsLeft !== null) parts.push(`${formatSeconds(all.secondsLeft)} left`)
  return parts.join(' · ')
}
