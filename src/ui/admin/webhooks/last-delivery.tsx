import type { Webhook } from '@pigeonhole/client/admin'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { responseText } from './response-text.ts'

/** When a webhook's latest attempt ended, and its result. */
export function LastDelivery({ webhook: { lastAttempt, failingSince } }: { webhook: Webhook }) {
  const { t } = useMessages()
  if (!lastAttempt)
    // A failing webhook can have 1,000 newer events without an attempt.
    return failingSince ? null : (
      <p className="text-sm text-ink-soft">{t('admin.webhooks.nothingDelivered')}</p>
    )
  const { at, failure } = lastAttempt
  const [Icon, color] = failure === null ? [CircleCheck, 'text-accent'] : [CircleAlert, 'text-danger']
  return (
    <div className="flex items-start gap-2 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
      <div className="min-w-0 tabular-nums">
        <p>
          {t(failure === null ? 'admin.webhooks.delivered' : 'admin.webhooks.failed')}
          {` · ${responseText(lastAttempt, t)}`}
        </p>
        <p className="text-ink-soft">
          {t.rich('admin.webhooks.lastDelivery', { time: at, when: () => <LocalTime at={at} /> })}
        </p>
      </div>
    </div>
  )
}
