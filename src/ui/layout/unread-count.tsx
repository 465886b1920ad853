'use client'

import { useQuery } from '@tanstack/react-query'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { UNREAD_KEY } from '../messages/unread-key.ts'

const REFRESH_MS = 60_000
/** The server counts no further than 100. */
const MOST = 99

/** How many messages the user has not read, at a link to them; nothing if there are none. */
export function UnreadCount() {
  const { client } = useClients()
  const { t, format } = useWords()
  const { data } = useQuery({
    queryKey: UNREAD_KEY,
    queryFn: ({ signal }) => client.messages.unread.query(undefined, { signal }),
    refetchInterval: REFRESH_MS,
  })
  const count = data?.count ?? 0
  if (count === 0) return null
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs leading-5 text-on-accent tabular-nums forced-colors:border max-sm:absolute max-sm:top-0.5 max-sm:left-[calc(50%+0.5rem)]">
      <span aria-hidden="true">{count > MOST ? `${format.number(MOST)}+` : format.number(count)}</span>
      <span className="sr-only">{t('messages.unread', { count })}</span>
    </span>
  )
}
