import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { groupsOf } from './webhook-events.ts'

/** The events of a webhook, grouped by what they are about. */
export function EventList({ events }: { events: WebhookEvent[] }) {
  const { t } = useMessages()
  return (
    <ul
      aria-label={t('admin.webhooks.events')}
      className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-soft"
    >
      {groupsOf(events).map(({ label, events }) => (
        <li key={label}>
          {t(label)}: {events.map((type) => type.split('.')[1]).join(', ')}
        </li>
      ))}
    </ul>
  )
}
