import type { PushMessageStatus } from '@pigeonhole/client/push'
import { LocalTime } from '../components/local-time.tsx'
import { Notice } from '../components/notice.tsx'
import { platformName } from '../components/platform-name.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { DeliveryCounts } from './delivery-counts.tsx'
import { deliverySummary } from './delivery-summary.ts'

type DeliveryStatusProps = {
  answer: PushMessageStatus
  error?: string
}

/** What came of a message that was sent or counted just now, and which devices it failed for. */
export function DeliveryStatus({ answer, error }: DeliveryStatusProps) {
  const { t } = useWords()
  const { failures, sendAt, unknownUserIds = [] } = answer
  return (
    <section aria-label={t('delivery.title')} className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">{deliverySummary(answer, t)}</p>
      {sendAt && (
        <p className="mt-0.5 text-sm text-ink-soft">
          {t.rich('delivery.sendAt', { time: sendAt, when: () => <LocalTime at={sendAt} /> })}
        </p>
      )}
      <DeliveryCounts message={answer} />
      {failures.length > 0 && (
        <ul className="mt-3 space-y-1 text-sm text-danger">
          {failures.map(({ deviceId, platform, reason }) => (
            <li key={deviceId}>{t('delivery.failure', { platform: platformName(platform), reason })}</li>
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
