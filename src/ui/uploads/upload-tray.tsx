import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import clsx from 'clsx'
import { ChevronDown, Pause, Play, RotateCcw, TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { Notice } from '../components/notice.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useHasOfflineNotice } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useUploads } from '../context/use-uploads.ts'
import { useUsageAfter } from '../files/use-file-queries.ts'
import { type Localization, useMessages } from '../i18n/messages-provider.tsx'
import type { Translator } from '../i18n/translator.ts'
import { FailedUploads, failureGroups } from './failed-uploads.tsx'
import { retryableUploads, storageFailures } from './storage-failures.ts'
import { offlineNoticeKey, unfinishedCount, waitingCount, waitsForCheck } from './unfinished-count.ts'
import { UploadRow } from './upload-row.tsx'
import { keptText } from './upload-status-text.ts'
import { useTrayOrder } from './use-tray-order.ts'

const FAILED_ICON = <TriangleAlert aria-hidden="true" data-failed className="size-4 shrink-0 text-danger" />
const PAUSE_ICON = <Pause aria-hidden="true" className="size-4" />
const RESUME_ICON = <Play aria-hidden="true" className="size-4" />

/** Maximum rows. 1,000 rows take 0.8 s to draw. Uploads that need attention come first. */
const MAX_ROWS = 100

/** All uploads, docked at the bottom of every page. Renders nothing while there are none. */
export function UploadTray() {
  const { uploader } = useClients()
  const snapshot = useUploads()
  const localization = useMessages()
  const { t, format } = localization
  const id = useId()
  const [open, setOpen] = useState<boolean>()
  const [held, setHeld] = useState(false)
  const { uploads, counts, online, size, bytesSent, bytesToResend } = snapshot
  const unfinished = unfinishedCount(snapshot)
  const groups = counts.failed > 1 ? failureGroups(uploads) : []
  /** Rows of groups, which would push the uploads in progress out of view. */
  const collapsible = unfinished > 0 ? groups.flatMap((group) => group.map(({ upload }) => upload)) : []
  const [expandsFailed, setExpandsFailed] = useState(false)
  const { rows, hidesFailed } = useTrayOrder(snapshot, held, expandsFailed ? [] : collapsible)
  const usage = useUsageAfter(counts.failed > 0 ? storageFailures(uploads) : [])
  const hasOfflineNotice = useHasOfflineNotice()
  if (uploads.length === 0) return null
  const unchecked = uploads.filter((upload) => waitsForCheck(upload.getSnapshot())).length
  // Offline, those that wait for the connection can be paused too.
  const active = online
    ? counts.queued + counts.starting + counts.uploading
    : waitingCount(snapshot) - counts.pausing - counts.verifying - unchecked
  /** Uploads that “Pause all” acts on. A second press interrupts what is still in flight. */
  const pausable = active + counts.pausing
  const hasProgress = unfinished > 0 && size > 0
  const retryable = counts.failed > 0 ? retryableUploads(uploads, usage) : []
  // Collapsed on phones and low windows, where the list would cover the page.
  const expanded = open ?? matchMedia('(min-width: 40rem) and (min-height: 40rem)').matches
  const pause = (pausable > 0 || counts.paused > unchecked) && {
    label: active > 0 ? t('uploads.pauseAll') : t(pausable > 0 ? 'uploads.pauseAllNow' : 'uploads.resumeAll'),
    icon: pausable > 0 ? PAUSE_ICON : RESUME_ICON,
    onClick: () => (pausable > 0 ? uploader.pauseAll() : uploader.resumeAll()),
  }

  const failures = (
    <>
      <FailedUploads groups={groups} retryable={retryable} usage={usage} />
      {collapsible.length > 0 && (
        <Button
          variant="ghost"
          aria-expanded={!hidesFailed}
          className="mx-1 my-1"
          onClick={() => {
            // The user asks for the change that holding the list prevents.
            setHeld(false)
            setExpandsFailed(hidesFailed)
          }}
        >
          {t(hidesFailed ? 'uploads.showFailed' : 'uploads.hideFailed')}
          <ChevronDown aria-hidden="true" className={clsx('size-4', !hidesFailed && 'rotate-180')} />
        </Button>
      )}
    </>
  )
  return (
    <section
      aria-label={t('uploads.title')}
      data-tray={expanded ? 'open' : 'closed'}
      className="short:static fixed inset-x-0 bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-30 flex max-h-[min(28rem,70dvh)] sm:max-h-[min(34rem,70dvh)] flex-col overflow-hidden border border-line bg-surface sm:shadow-tray sm:right-4 sm:bottom-4 sm:left-auto sm:w-md sm:rounded-xl print:hidden"
    >
      <header className="border-b border-line px-4 pt-2 pb-3">
        <div className="flex items-center justify-between gap-2">
          <h2 className="flex min-w-0 flex-1 items-center gap-2 font-semibold">
            {counts.failed > 0 && FAILED_ICON}
            <DottedParts parts={titleParts(snapshot, unfinished, t)} />
          </h2>
          {unfinished === 0 && (
            <Button variant="ghost" className="shrink-0" onClick={() => uploader.remove()}>
              {t('uploads.clear')}
            </Button>
          )}
          {!expanded && pause && (
            <IconButton label={pause.label} onClick={pause.onClick}>
              {pause.icon}
            </IconButton>
          )}
          <button
            type="button"
            aria-expanded={expanded}
            aria-controls={id}
            aria-label={expanded ? t('uploads.collapse') : t('uploads.expand')}
            title={expanded ? t('uploads.collapse') : t('uploads.expand')}
            onClick={() => setOpen(!expanded)}
            className="-mr-2 -ml-2 flex size-10 shrink-0 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
          >
            <ChevronDown aria-hidden="true" className={clsx('size-5', !expanded && 'rotate-180')} />
          </button>
        </div>
        {hasProgress && (
          <>
            {online ? (
              <p className="truncate text-sm text-ink-soft tabular-nums">
                {progressText(snapshot, localization)}
                {snapshot.speedBytesPerSecond > 0 && (
                  <span className="max-sm:hidden"> · {format.speed(snapshot.speedBytesPerSecond)}</span>
                )}
              </p>
            ) : (
              <div className="text-sm text-ink-soft tabular-nums">
                <p>
                  <DottedParts parts={offlineParts(snapshot, expanded, localization)} />
                </p>
                {bytesToResend > 0 && <p>{t('uploads.resent', { size: format.bytes(bytesToResend) })}</p>}
              </div>
            )}
            <ProgressBar
              label={t('uploads.all')}
              value={bytesSent / size}
              secondaryValue={bytesToResend / size}
              valueText={t('uploads.sent', { sent: format.bytes(bytesSent, size), size: format.bytes(size) })}
              tone={online && (pausable > 0 || counts.verifying > 0) ? 'accent' : 'muted'}
              className="mt-2"
            />
          </>
        )}
      </header>
      <div id={id} hidden={!expanded} className="flex min-h-0 flex-1 flex-col">
        {!online && unfinished > 0 && !hasOfflineNotice && (
          <Notice tone="warning" silent className="mx-4 mt-3 mb-2">
            {t(offlineNoticeKey(snapshot))}
          </Notice>
        )}
        <div className="flex flex-wrap gap-x-1 border-b border-line px-1 py-1 empty:hidden">
          {pause && (
            <Button variant="ghost" onClick={pause.onClick}>
              {pause.icon}
              {pause.label}
            </Button>
          )}
          {retryable.length > 0 && (
            <Button
              variant="ghost"
              onClick={() => {
                for (const upload of retryable) upload.retry()
              }}
            >
              <RotateCcw aria-hidden="true" className="size-4" />
              {t('uploads.retryAll')}
            </Button>
          )}
          {/* Not in the header: in a collapsed tray, it would be beside the button that expands it. */}
          {unfinished > 0 && (
            <DeleteButton
              variant="quiet"
              className="ml-auto shrink-0"
              label={t('uploads.cancelAll')}
              title={t('uploads.cancelAllTitle')}
              description={t('uploads.cancelAllText', { count: unfinished })}
              confirmLabel={t('uploads.cancelAll')}
              cancelLabel={t('uploads.cancelAllKeep')}
              doneText={t('uploads.canceledAll')}
              onConfirm={async () => {}}
              onDeleted={() => {
                uploader.cancelAll()
                uploader.remove()
              }}
            />
          )}
        </div>
        <section
          aria-label={t('uploads.list')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard
          tabIndex={0}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          className="min-h-0 overflow-y-auto -outline-offset-2"
        >
          {failures}
          <ul className="divide-y divide-line">
            {rows.slice(0, MAX_ROWS).map((upload) => (
              <UploadRow key={upload.id} upload={upload} usage={usage} />
            ))}
          </ul>
          {rows.length > MAX_ROWS && (
            <p className="border-t border-line px-4 py-3 text-sm text-ink-soft">
              {t('uploads.more', { count: rows.length - MAX_ROWS })}
            </p>
          )}
        </section>
      </div>
    </section>
  )
}

function titleParts(snapshot: UploaderSnapshot, unfinished: number, t: Translator): string[] {
  const { done, failed, pausing } = snapshot.counts
  const isOffline = !snapshot.online
  const running = isOffline ? waitingCount(snapshot) : unfinished - snapshot.counts.paused
  const paused = unfinished - running
  if (failed === 0) {
    if (unfinished === 0) return [t('uploads.uploadedTitle', { count: done })]
    if (pausing > 0 && pausing === running) return [t('uploads.pausingTitle', { count: pausing })]
    if (running === 0) return [t('uploads.pausedTitle', { count: paused })]
    if (done === 0 && paused === 0)
      return [t(isOffline ? 'uploads.waitingTitle' : 'uploads.uploadingTitle', { count: running })]
  }
  const texts: string[] = []
  if (running > 0)
    texts.push(t(isOffline ? 'uploads.waitingPart' : 'uploads.uploadingPart', { count: running }))
  if (paused > 0) texts.push(t('uploads.pausedPart', { count: paused }))
  if (failed > 0) {
    const key = texts.length > 1 ? 'uploads.failedPart' : 'uploads.failedTitle'
    texts.unshift(t(key, { count: failed }))
  }
  // More than three would not fit on phones.
  if (done > 0 && texts.length < 3) texts.push(t('uploads.donePart', { count: done }))
  return texts
}

function progressText(
  { size, bytesSent, secondsLeft }: UploaderSnapshot,
  { t, format }: Localization,
): string {
  const sent = t('uploads.sent', { sent: format.bytes(bytesSent, size), size: format.bytes(size) })
  return secondsLeft === null
    ? sent
    : `${sent} · ${t('uploads.left', { time: format.duration(secondsLeft) })}`
}

/** Returns how much is kept while the browser is offline. */
function offlineParts(snapshot: UploaderSnapshot, expanded: boolean, { t, format }: Localization): string[] {
  const { bytesSent, bytesToResend } = snapshot
  const texts: string[] = []
  // In the expanded tray, a notice says it.
  if (!expanded) texts.push(t(waitingCount(snapshot) > 0 ? 'uploads.noConnection' : 'uploads.offlineState'))
  if (bytesSent > 0) texts.push(keptText(snapshot, t, format))
  else if (bytesToResend === 0) texts.push(t('uploads.nothingUploaded'))
  return texts
}
