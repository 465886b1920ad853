import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts'

/** The events of a webhook, in the words of its form. All of them have one name. Their tooltips are their names in the API. */
export function EventList({ events }: { events: WebhookEvent[] }) {
  const { t } = useMessages()
  if (events.length === EVENTS.length) return <span>{t('admin.webhooks.allEvents')}</span>
  return (
    <ul
      aria-label={t('admin.webhooks.events')}
      // A dot at the start of a line is left of the list, where it is clipped.
      className="-ml-3.5 flex min-w-0 flex-wrap [clip-path:inset(0_0_0_0.875rem)]"
    >
      {EVENTS.filter((type) => events.includes(type)).map((type) => (
        <li
          key={type}
          title={type}
          className="pl-3.5 before:-ml-3.5 before:inline-block before:w-3.5 before:text-center not-first:before:content-['·'/'']"
        >
          {t(WEBHOOK_EVENTS[type])}
        </li>
      ))}
    </ul>
  )
}
