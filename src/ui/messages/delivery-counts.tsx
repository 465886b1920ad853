import type { PushMessageStatus } from '@pigeonhole/client/push'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { audienceSize, isFinished } from './delivery-summary.ts'

type DeliveryCountsProps = {
  message: Pick<PushMessageStatus, 'status' | 'audience' | 'sent' | 'failed' | 'removed'>
}

/** The recipients and results of a message, with its progress while it is being sent. */
export function DeliveryCounts({ message }: DeliveryCountsProps) {
  const { t } = useMessages()
  const { status, audience, sent, failed, removed } = message
  // The recipients are determined when the message is sent.
  if (status === 'scheduled') return null
  const recipients = audienceSize(audience)
  const processed = sent + failed + removed
  return (
    <>
      <p className="mt-0.5 text-sm text-ink-soft tabular-nums">
        {status === 'dry-run'
          ? t('delivery.audience', audience)
          : t('delivery.audienceAndCounts', { ...audience, sent, failed, removed })}
      </p>
      {removed > 0 && <p className="text-sm text-ink-soft">{t('delivery.removedText')}</p>}
      {!isFinished(message) && (
        <ProgressBar
          label={t('delivery.title')}
          value={recipients === 0 ? 0 : processed / recipients}
          valueText={t('delivery.progress', { processed, count: recipients })}
          className="mt-3"
        />
      )}
    </>
  )
}
