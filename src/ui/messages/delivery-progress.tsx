import type { PushMessageStatus } from '@pigeonhole/client/push'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { audienceSize, isFinished } from './delivery-summary.ts'

type DeliveryProgressProps = {
  message: Pick<PushMessageStatus, 'status' | 'audience' | 'sent' | 'failed' | 'removed'>
}

/** The progress of a message while it is being sent. */
export function DeliveryProgress({ message }: DeliveryProgressProps) {
  const { t } = useMessages()
  const { status, audience, sent, failed, removed } = message
  if (status === 'scheduled' || isFinished(message)) return null
  const recipients = audienceSize(audience)
  const processed = sent + failed + removed
  return (
    <ProgressBar
      label={t('delivery.title')}
      value={recipients === 0 ? 0 : processed / recipients}
      valueText={t('delivery.progress', { processed, count: recipients })}
      className="mt-3"
    />
  )
}
