import type { PushMessageStatus } from '@pigeonhole/client/push'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { audienceSize, isFinished } from './delivery-summary.ts'

type DeliveryCountsProps = {
  message: Pick<PushMessageStatus, 'status' | 'audience' | 'sent' | 'failed' | 'removed'>
}

/** How many devices a message is for and what came of it, with its progress while it is being sent. */
export function DeliveryCounts({ message }: DeliveryCountsProps) {
  const { t } = useWords()
  const { status, audience, sent, failed, removed } = message
  // Who gets it is not known yet.
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
