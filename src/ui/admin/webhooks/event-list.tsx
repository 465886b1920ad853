import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts'

/** The events of a webhook by their names in the API. Their tooltips describe them. */
export function EventList({ events }: { events: WebhookEvent[] }) {
  const { t } = useMessages()
  return (
    <ul aria-label={t('admin.webhooks.events')} className="flex min-w-0 flex-wrap gap-x-3">
      {EVENTS.filter((type) => events.includes(type)).map((type) => (
        <li key={type} title={t(WEBHOOK_EVENTS[type])}>
          <code className="text-xs">{type}</code>
        </li>
      ))}
    </ul>
  )
}
