import type { UploadSnapshot } from '@pigeonhole/client/browser'
import type { Formats } from '../i18n/formats.ts'
import type { Translator } from '../i18n/translator.ts'

/** Returns how much of an interrupted upload is kept, or only its size if nothing is. */
export function keptText(
  { size, bytesSent }: Pick<UploadSnapshot, 'size' | 'bytesSent'>,
  t: Translator,
  format: Formats,
): string {
  const total = format.bytes(size)
  if (bytesSent === 0) return total
  return t('uploads.kept', {
    progress: t('uploads.sent', { sent: format.bytes(bytesSent, size), size: total }),
  })
}

/** Returns an upload's status and progress in a few words. */
export function uploadStatusText(
  upload: Pick<UploadSnapshot, 'state' | 'size' | 'bytesSent' | 'secondsLeft' | 'pauseReason' | 'file'>,
  t: Translator,
  format: Formats,
): string {
  const { state, size, bytesSent, secondsLeft, pauseReason, file } = upload
  const total = format.bytes(size)
  const progress = t('uploads.sent', { sent: format.bytes(bytesSent, size), size: total })
  const stored = bytesSent > 0 ? progress : total
  switch (state) {
    case 'queued':
      return t('uploads.waiting', { progress: stored })
    case 'starting':
      return t('uploads.starting', { progress: total })
    case 'verifying':
      return t('uploads.checking', { progress: total })
    case 'pausing':
      return t('uploads.pausing', { progress })
    case 'paused':
      if (pauseReason === 'offline') return t('uploads.waiting', { progress: keptText(upload, t, format) })
      if (pauseReason === 'signed-out') return t('uploads.signedOutState', { progress: stored })
      return t('uploads.paused', { progress: stored })
    case 'uploading':
      return secondsLeft === null
        ? progress
        : `${progress} · ${t('uploads.left', { time: format.duration(secondsLeft) })}`
    case 'done':
      return t(file?.state === 'HELD' ? 'uploads.held' : 'uploads.uploaded', { size: total })
    default:
      return total
  }
}
