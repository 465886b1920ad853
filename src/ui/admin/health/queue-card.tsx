import type { DeploymentState } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Work that waits: chunks of broadcasts, scheduled messages and webhook deliveries. */
export function QueueCard({ state: { queue, webhooks } }: { state: DeploymentState }) {
  const { t, format } = useMessages()
  const figures: [label: PlainMessageKey, value: number][] = [
    ['admin.health.queue.due', queue.due],
    ['admin.health.queue.leased', queue.leased],
    ['admin.health.queue.waiting', queue.waiting],
    ['admin.health.queue.scheduled', queue.scheduled],
    ['admin.health.queue.pending', webhooks.pending],
  ]
  return (
    <Card title={t('admin.health.queues')}>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 py-4 sm:grid-cols-5 sm:px-5">
        {figures.map(([label, value]) => (
          <div key={label} className="flex flex-col justify-end">
            <dt className="text-sm text-ink-soft">{t(label)}</dt>
            <dd className="text-lg font-semibold tabular-nums">{format.number(value)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
