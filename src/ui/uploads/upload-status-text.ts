import type { UploadSnapshot } from '@pigeonhole/client/browser'
import type { Formats } from '../i18n/formats.ts'
import type { Translator } from '../i18n/translator.ts'

/** Returns an upload's status and progress in a few words. */
export function uploadStatusText(
  { state, size, bytesSent, secondsLeft, pauseReason, file }: UploadSnapshot,
  t: Translator,
  format: Formats,
): string {
  const total = format.bytes(size)
  const progress = t('uploads.sent', { sent: format.bytes(bytesSent, size), size: total })
  switch (state) {
    case 'queued':
      return t('uploads.waiting', { progress: bytesSent > 0 ? progress : total })
    case 'starting':
      return t('uploads.starting', { progress: total })
    case 'verifying':
      return t('uploads.checking', { progress: total })
    case 'pausing':
      return t('uploads.pausing', { progress })
    case 'paused':
      if (pauseReason === 'offline')
        return t('uploads.waiting', { progress: t('uploads.kept', { progress }) })
      if (pauseReason === 'signed-out') return t('uploads.signedOutState', { progress })
      return t('uploads.paused', { progress })
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
