import type { Webhook } from '@pigeonhole/client/admin'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { DottedParts } from '../../components/dotted-parts.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { responseText } from './response-text.ts'

/** Result of a webhook's latest attempt, and when it ended. */
export function LastDelivery({ webhook: { lastAttempt, failingSince, endedAt } }: { webhook: Webhook }) {
  const { t } = useMessages()
  // A webhook that fails can have 1,000 newer events without an attempt.
  if (!lastAttempt && !endedAt)
    return (
      <span className="text-ink-soft">
        {t(failingSince ? 'admin.webhooks.failing' : 'admin.webhooks.nothingDelivered')}
      </span>
    )
  const isDelivered = !endedAt && lastAttempt?.failure === null
  const [Icon, color] = isDelivered ? [CircleCheck, 'text-accent'] : [CircleAlert, 'text-danger']
  const at = endedAt ?? lastAttempt!.at
  return (
    <span className="min-w-0 tabular-nums hyphens-auto">
      {/* The text, not the icon, is on one line with the label beside it. */}
      <span className="relative block pl-5.5">
        <Icon aria-hidden="true" className={`absolute top-0.5 left-0 size-4 ${color}`} />
        {endedAt ? (
          t('admin.webhooks.endedBy')
        ) : (
          <DottedParts
            parts={[
              t(isDelivered ? 'admin.webhooks.delivered' : 'admin.webhooks.failed'),
              responseText(lastAttempt!, t),
            ]}
          />
        )}
      </span>
      <span className="block font-normal text-ink-soft">
        <LocalTime at={at} />
      </span>
    </span>
  )
}
