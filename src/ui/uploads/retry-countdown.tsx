import type { RetryWait, UploadSnapshot } from '@pigeonhole/client/browser'
import { useEffect, useState } from 'react'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { failureText } from './upload-error-text.ts'

/** Counts down the whole seconds until `at`, in milliseconds since 1970. Stops at 0. */
function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((at - now) / 1000))
}

/** Why an upload is waiting and when it is retried. */
export function RetryCountdown({ upload, retry }: { upload: UploadSnapshot; retry: RetryWait }) {
  const { t, format } = useMessages()
  const { user } = useSession()
  const seconds = useSecondsUntil(retry.at)
  return (
    <p className="text-sm text-warn tabular-nums">
      {failureText(retry.reason, upload, user, t, format)}{' '}
      {seconds > 0 ? t('uploads.retryIn', { seconds }) : t('uploads.retryNow')}
    </p>
  )
}
