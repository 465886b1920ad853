import type { DeploymentState } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { Figures } from '../figures.tsx'

/** Work that waits: chunks of broadcasts, scheduled messages and webhook deliveries. */
export function QueueCard({ state: { queue, webhooks } }: { state: DeploymentState }) {
  const { t, format } = useMessages()
  return (
    <Card title={t('admin.health.queues')} description={t('admin.health.queuesText')}>
      <Figures
        columns="sm:grid-cols-3 lg:grid-cols-5"
        figures={[
          { label: t('admin.health.queue.due'), value: format.number(queue.due) },
          { label: t('admin.health.queue.leased'), value: format.number(queue.leased) },
          { label: t('admin.health.queue.waiting'), value: format.number(queue.waiting) },
          { label: t('admin.health.queue.scheduled'), value: format.number(queue.scheduled) },
          { label: t('admin.health.queue.pending'), value: format.number(webhooks.pending) },
        ]}
      />
    </Card>
  )
}
