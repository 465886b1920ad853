import { useQuery } from '@tanstack/react-query'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Query key of the number of unread messages. */
export const UNREAD_KEY = ['unread']

const REFRESH_MS = 60_000
/** The server stops counting at 100. */
const MAX_SHOWN = 99

/** Number of unread messages, inside the link to the messages. Renders nothing for 0. */
export function UnreadCount() {
  const { client } = useClients()
  const { t, format } = useMessages()
  const { data } = useQuery({
    queryKey: UNREAD_KEY,
    queryFn: ({ signal }) => client.messages.unread.query(undefined, { signal }),
    refetchInterval: REFRESH_MS,
  })
  const count = data?.count ?? 0
  if (count === 0) return null
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs leading-5 text-on-accent tabular-nums forced-colors:border max-sm:absolute max-sm:top-0.5 max-sm:left-[calc(50%+0.5rem)]">
      <span aria-hidden="true">
        {count > MAX_SHOWN ? `${format.number(MAX_SHOWN)}+` : format.number(count)}
      </span>
      <span className="sr-only">{t('messages.unread', { count })}</span>
    </span>
  )
}
