'use client'

import type { RetryWait, UploadSnapshot } from '@pigeonhole/client/browser'
import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { failureText } from './upload-error-text.ts'
import { useSecondsUntil } from './use-seconds-until.ts'

/** Why an upload does not move, and when it is tried again. */
export function RetryCountdown({ upload, retry }: { upload: UploadSnapshot; retry: RetryWait }) {
  const { t, format } = useWords()
  const { user } = useSession()
  const seconds = useSecondsUntil(retry.at)
  return (
    <p className="text-sm text-warn tabular-nums">
      {failureText(retry.reason, upload, user, t, format)}{' '}
      {seconds > 0 ? t('uploads.retryIn', { seconds }) : t('uploads.retryNow')}
    </p>
  )
}
