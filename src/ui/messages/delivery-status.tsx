import type { PushMessageStatus } from '@pigeonhole/client/push'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Ref } from 'react'
import { LocalTime } from '../components/local-time.tsx'
import { Notice } from '../components/notice.tsx'
import { PLATFORM_NAMES } from '../components/platform-names.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { DeliveryProgress } from './delivery-progress.tsx'
import { deliveryCounts, deliverySummary } from './delivery-summary.ts'

type DeliveryStatusProps = {
  message: PushMessageStatus
  error?: string
  /** Makes the state a heading that can take the focus. */
  heading?: Ref<HTMLHeadingElement>
}

/** Result of the message that was just sent or counted, with the devices that failed. */
export function DeliveryStatus({ message, error, heading }: DeliveryStatusProps) {
  const { t } = useMessages()
  const { status, sent, failed, removed, failures, sendAt, unknownUserIds = [] } = message
  const isSent = status === 'scheduled' || (status === 'completed' && sent > 0 && failed === 0)
  const hasProblem = status === 'completed' && !isSent
  const state = (
    <>
      {isSent && <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent" />}
      {hasProblem && <TriangleAlert aria-hidden="true" className="size-5 shrink-0 text-warn" />}
      <span>
        {status === 'scheduled' && sendAt
          ? t.rich('delivery.scheduledFor', { time: sendAt, when: () => <LocalTime at={sendAt} withTime /> })
          : deliverySummary(message, t)}
      </span>
    </>
  )
  return (
    <section aria-label={t('delivery.title')}>
      {heading ? (
        <h2
          ref={heading}
          tabIndex={-1}
          className="flex scroll-mt-24 items-center gap-2 text-lg font-semibold outline-none"
        >
          {state}
        </h2>
      ) : (
        <p className="flex items-center gap-2 font-medium">{state}</p>
      )}
      <p className="mt-0.5 text-sm text-ink-soft tabular-nums">{deliveryCounts(message, t)}</p>
      <DeliveryProgress message={message} />
      {removed > 0 && <p className="text-sm text-ink-soft">{t('delivery.removedText')}</p>}
      {failures.length > 0 && (
        <ul className="mt-3 space-y-1 text-sm text-danger">
          {failures.map(({ deviceId, platform, reason }) => (
            <li key={deviceId}>{t('delivery.failure', { platform: PLATFORM_NAMES[platform], reason })}</li>
          ))}
        </ul>
      )}
      {unknownUserIds.length > 0 && (
        <Notice tone="warning" className="mt-3">
          {t('delivery.unknownUsers', { ids: unknownUserIds.join(', ') })}
        </Notice>
      )}
      {error && (
        <Notice tone="error" className="mt-3">
          {error}
        </Notice>
      )}
    </section>
  )
}
