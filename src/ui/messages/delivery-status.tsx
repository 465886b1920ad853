import type { PushMessageStatus } from '@pigeonhole/client/push'
import { Notice } from '../components/notice.tsx'
import { platformName } from '../components/platform-name.ts'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { audienceSize, deliverySummary, isFinished } from './delivery-summary.ts'

type DeliveryStatusProps = {
  answer: PushMessageStatus
  error?: string
}

/** The progress of a message, and which devices it failed for. */
export function DeliveryStatus({ answer, error }: DeliveryStatusProps) {
  const { t } = useWords()
  const { status, audience, sent, failed, removed, failures } = answer
  const dryRun = status === 'dry-run'
  const recipients = audienceSize(audience)
  const processed = sent + failed + removed
  const progress = recipients === 0 ? 0 : processed / recipients
  return (
    <section aria-label={t('delivery.title')} className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">{deliverySummary(answer, t)}</p>
      <p className="mt-0.5 text-sm text-ink-soft tabular-nums">
        {dryRun
          ? t('delivery.audience', audience)
          : t('delivery.audienceAndCounts', { ...audience, sent, failed, removed })}
      </p>
      {!dryRun && (
        <ProgressBar
          label={t('delivery.title')}
          value={isFinished(answer) ? 1 : progress}
          valueText={t('delivery.progress', { processed, count: recipients })}
          className="mt-3"
        />
      )}
      {failures.length > 0 && (
        <ul className="mt-3 space-y-1 text-sm text-danger">
          {failures.map(({ deviceId, platform, reason }) => (
            <li key={deviceId}>{t('delivery.failure', { platform: platformName(platform), reason })}</li>
          ))}
        </ul>
      )}
      {error && (
        <Notice tone="error" className="mt-3">
          {error}
        </Notice>
      )}
    </section>
  )
}
