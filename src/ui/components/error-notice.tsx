import { errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type ErrorNoticeProps = {
  error: unknown
  /** Messages for error codes that have a special meaning here. */
  expected?: Partial<Record<string, PlainMessageKey>>
  /** Adds a button that retries the call. */
  onRetry?(): unknown
  className?: string
}

/** Message for a failed call. Renders nothing without an error, or if the user canceled. */
export function ErrorNotice({ error, expected, onRetry, className }: ErrorNoticeProps) {
  const { t } = useMessages()
  const text = error ? errorText(t, error, expected) : ''
  if (text === '') return null
  return (
    <Notice
      tone="error"
      className={className}
      action={onRetry && <Button onClick={() => onRetry()}>{t('common.tryAgain')}</Button>}
    >
      {text}
    </Notice>
  )
}
