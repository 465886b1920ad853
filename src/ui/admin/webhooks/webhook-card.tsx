import type { Webhook } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EventList } from './event-list.tsx'
import { LastDelivery } from './last-delivery.tsx'
import { SuccessRate } from './success-rate.tsx'

/** Why a webhook fails, its URL and events, its latest attempt and how many events were delivered. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { t } = useMessages()
  const { url, events, description, active, endedAt, failingSince, recent } = webhook
  return (
    <Card title={t('admin.webhooks.subscription')} description={description ?? undefined}>
      {endedAt && (
        <Notice tone="warning" silent className="mx-4 mt-4 sm:mx-5">
          {t.rich('admin.webhooks.endedText', { time: endedAt, when: () => <LocalTime at={endedAt} /> })}
        </Notice>
      )}
      {active && failingSince && (
        <Notice tone="warning" silent className="mx-4 mt-4 sm:mx-5">
          {t.rich('admin.webhooks.failingText', {
            time: failingSince,
            when: () => <LocalTime at={failingSince} />,
          })}
        </Notice>
      )}
      <DetailList
        details={[
          [
            t('admin.webhooks.url'),
            <CopyableCode key="url" code={url} label={t('admin.webhooks.copyUrl')} />,
          ],
          [t('admin.webhooks.events'), <EventList key="events" events={events} />],
          [t('admin.webhooks.lastAttempt'), <LastDelivery key="attempt" webhook={webhook} />],
          [
            t('admin.webhooks.delivered'),
            recent.delivered + recent.failed > 0 ? <SuccessRate key="rate" webhook={webhook} /> : null,
          ],
        ]}
      />
    </Card>
  )
}
