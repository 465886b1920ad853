import type { Outputs } from '@pigeonhole/client'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../components/card.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SESSIONS_KEY, SessionRow } from './session-row.tsx'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'

type SessionsCardProps = { initial: Outputs['account']['sessions'] }

/** The user's sessions, with buttons that end them. */
export function SessionsCard({ initial }: SessionsCardProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { data } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: () => client.account.sessions.query(),
    initialData: initial,
  })
  // The sort is stable, so the others stay in the server's order.
  const items = data.items.toSorted((a, b) => Number(b.current) - Number(a.current))
  return (
    <Card title={t('sessions.title')} description={t('sessions.text')}>
      <ul aria-label={t('sessions.list')} className="divide-y divide-line">
        {items.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      <SignOutEverywhere />
    </Card>
  )
}
