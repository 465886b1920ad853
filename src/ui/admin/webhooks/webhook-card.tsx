import type { Webhook } from '@pigeonhole/client/admin'
import { Breakable } from '../../components/breakable.tsx'
import { Card } from '../../components/card.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EventList } from './event-list.tsx'
import { LastDelivery } from './last-delivery.tsx'

/** A webhook's URL, events and latest attempt, and why it fails. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { t } = useMessages()
  const { url, events, description, active, endedAt, failingSince } = webhook
  return (
    <Card title={t('admin.webhooks.subscription')} description={description ?? undefined}>
      <DetailList
        details={[
          [
            t('admin.webhooks.url'),
            <code key="url" className="font-normal">
              <Breakable>{url}</Breakable>
            </code>,
          ],
          [t('admin.webhooks.lastAttempt'), <LastDelivery key="attempt" webhook={webhook} />],
          [t('admin.webhooks.events'), <EventList key="events" events={events} />],
        ]}
      />
      {endedAt && (
        <Notice tone="warning" silent className="mx-4 mb-4 sm:mx-5">
          {t.rich('admin.webhooks.endedText', { time: endedAt, when: () => <LocalTime at={endedAt} /> })}
        </Notice>
      )}
      {active && failingSince && (
        <Notice tone="warning" silent className="mx-4 mb-4 sm:mx-5">
          {t.rich('admin.webhooks.failingText', {
            time: failingSince,
            when: () => <LocalTime at={failingSince} />,
          })}
        </Notice>
      )}
    </Card>
  )
}
