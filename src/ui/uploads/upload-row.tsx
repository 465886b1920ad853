import type { UploadErrorCode, UploadHandle, UploadSnapshot, UploadSource } from '@pigeonhole/client/browser'
import clsx from 'clsx'
import { Check, Pause, Play, RotateCcw, TriangleAlert, X } from 'lucide-react'
import { memo, useRef, useSyncExternalStore } from 'react'
import { Button } from '../components/button.tsx'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { IconButton } from '../components/icon-button.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { FileTypeIcon } from '../files/file-type-icon.tsx'
import type { Usage } from '../files/use-file-queries.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { FileInput } from './file-input.tsx'
import { pickFiles } from './file-picker.ts'
import { RetryCountdown } from './retry-countdown.tsx'
import { canRetry } from './storage-failures.ts'
import { waitsForCheck } from './unfinished-count.ts'
import { failureText } from './upload-error-text.ts'
import { uploadStatusText } from './upload-status-text.ts'

const INLINE_ICON = 'mr-1 inline size-4 align-text-bottom'

/** Failures after which the file must be chosen again. */
const CHOOSE_AGAIN = new Set<UploadErrorCode>(['FILE_CHANGED', 'DIFFERENT_FILE'])

type UploadRowProps = {
  upload: UploadHandle
  /** Current usage of the account, if an upload needed more storage. */
  usage: Usage | undefined
}

/** A row of the tray. It subscribes to its own upload, so that progress redraws only this row. */
export const UploadRow = memo(function UploadRow({ upload, usage }: UploadRowProps) {
  const snapshot = useSyncExternalStore(upload.subscribe, upload.getSnapshot, upload.getSnapshot)
  const { t, format } = useMessages()
  const { user } = useSession()
  const { name, size, bytesSent, bytesToResend, state, error, nextAttempt } = snapshot
  const status = uploadStatusText(snapshot, t, format)
  const muted = state === 'paused' || state === 'queued'
  return (
    <li className="row-lazy flex items-center gap-3 px-4 py-2.5" data-state={state}>
      {/* Hidden on phones to save space: the name has an extension. */}
      <FileTypeIcon mimeType={snapshot.mimeType} className="max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-left text-sm font-medium" title={name} dir="auto">
          {name}
        </p>
        {state === 'failed' ? (
          <>
            <p className="text-sm">
              <TriangleAlert aria-hidden="true" className={clsx(INLINE_ICON, 'text-danger')} />
              {error && failureText(error, snapshot, user, t, format, usage)}
            </p>
            {error && CHOOSE_AGAIN.has(error.code) && <ChooseAgain upload={upload} />}
          </>
        ) : (
          <>
            {state !== 'done' && (
              <ProgressBar
                label={name}
                value={size === 0 ? 0 : bytesSent / size}
                secondaryValue={size === 0 ? 0 : bytesToResend / size}
                valueText={status}
                tone={muted ? 'muted' : 'accent'}
                className="my-1.5"
              />
            )}
            {nextAttempt ? (
              <RetryCountdown upload={snapshot} retry={nextAttempt} />
            ) : (
              <p className="truncate text-sm text-ink-soft tabular-nums">
                {state === 'done' && (
                  <Check aria-hidden="true" className={clsx(INLINE_ICON, 'text-accent')} />
                )}
                {status}
                {snapshot.file && snapshot.file.state !== 'HELD' && (
                  <>
                    {' · '}
                    <a
                      href={`/files/${snapshot.file.id}`}
                      target="_blank"
                      rel="noreferrer"
                      className="text-accent underline underline-offset-2"
                    >
                      {t.rich('uploads.open', {
                        name,
                        hidden: (text) => <span className="sr-only">{text}</span>,
                      })}
                    </a>
                  </>
                )}
              </p>
            )}
          </>
        )}
      </div>
      <UploadButtons upload={upload} snapshot={snapshot} usage={usage} />
    </li>
  )
})

/** Lets the user choose the file of a failed upload again, and continues with it. */
function ChooseAgain({ upload }: { upload: UploadHandle }) {
  const { uploader } = useClients()
  const { t } = useMessages()
  const input = useRef<HTMLInputElement>(null)
  const { name, error, fileId } = upload.getSnapshot()

  function replace(source: UploadSource) {
    if (input.current) moveFocusBeforeRemoval(input.current)
    const isOther = error?.code === 'DIFFERENT_FILE' && fileId !== null
    // A file that was changed starts again. Another one still leaves the upload to continue.
    if (!isOther) upload.cancel()
    uploader.remove(upload)
    if (isOther) uploader.resumeFrom(fileId, source)
    else uploader.upload(source)
  }
  return (
    <>
      <Button
        className="mt-1.5"
        aria-label={t('unfinished.chooseFileFor', { name })}
        onClick={async () => {
          const picked = await pickFiles()
          if (picked?.[0]) replace(picked[0])
          else if (!picked) input.current?.click()
        }}
      >
        {t('unfinished.chooseFile')}
      </Button>
      <FileInput
        ref={input}
        label={t('unfinished.chooseAgain', { name })}
        onFiles={([source]) => source && replace(source)}
      />
    </>
  )
}

function UploadButtons({ upload, snapshot, usage }: UploadRowProps & { snapshot: UploadSnapshot }) {
  const { name, state, pauseReason } = snapshot
  const { uploader } = useClients()
  const { t } = useMessages()
  const ended = state === 'done' || state === 'failed' || state === 'cancelled'
  const toggle = toggleButton()
  return (
    <div className="-mr-3 flex shrink-0">
      {/* One button whose label changes, because replacing it would lose the focus. */}
      {toggle && (
        <IconButton label={toggle.label} onClick={toggle.onClick}>
          <toggle.Icon aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      <IconButton
        label={ended ? t('uploads.remove', { name }) : t('uploads.cancel', { name })}
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
    if (waitsForCheck(snapshot)) return null
    const waits = state === 'paused' && pauseReason === 'offline'
    if (state === 'uploading' || state === 'starting' || state === 'queued' || waits)
      return { label: t('uploads.pause', { name }), Icon: Pause, onClick: () => upload.pause() }
    if (state === 'pausing')
      return { label: t('uploads.pauseNow', { name }), Icon: Pause, onClick: () => upload.pause() }
    if (state === 'paused')
      return { label: t('uploads.resume', { name }), Icon: Play, onClick: () => upload.resume() }
    if (state === 'failed' && canRetry(snapshot, usage))
      return { label: t('uploads.retry', { name }), Icon: RotateCcw, onClick: () => upload.retry() }
    return null
  }
}
