import type { PushMessageStatus } from '@pigeonhole/client/push'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { audienceSize, isFinished, platformCounts } from './delivery-summary.ts'

type DeliveryCountsProps = {
  message: Pick<PushMessageStatus, 'status' | 'audience' | 'sent' | 'failed' | 'removed'>
  /** True if the number of failed devices is shown elsewhere. */
  failedAbove?: boolean
}

/** The recipients and results of a message, with its progress while it is being sent. */
export function DeliveryCounts({ message, failedAbove = false }: DeliveryCountsProps) {
  const { t } = useMessages()
  const { status, audience, sent, failed, removed } = message
  // The recipients are determined when the message is sent.
  if (status === 'scheduled') return null
  const recipients = audienceSize(audience)
  const platforms = platformCounts(audience, t)
  const processed = sent + failed + removed
  return (
    <>
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft tabular-nums">
        {platforms !== '' && <span>{platforms}</span>}
        {failed > 0 && !failedAbove && (
          <span className="font-medium text-danger">{t('delivery.failed', { count: failed })}</span>
        )}
        {removed > 0 && <span>{t('delivery.removed', { count: removed })}</span>}
      </p>
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
