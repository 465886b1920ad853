import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts'

/** The events of a webhook, in the words of its form. All of them have one name. Their tooltips are their names in the API. */
export function EventList({ events }: { events: WebhookEvent[] }) {
  const { t } = useMessages()
  if (events.length === EVENTS.length) return <span>{t('admin.webhooks.allEvents')}</span>
  return (
    <ul aria-label={t('admin.webhooks.events')} className="flex min-w-0 flex-wrap gap-x-1">
      {EVENTS.filter((type) => events.includes(type)).map((type) => (
        <li key={type} title={type} className="not-last:after:content-['\a0·']">
          {t(WEBHOOK_EVENTS[type])}
        </li>
      ))}
    </ul>
  )
}
