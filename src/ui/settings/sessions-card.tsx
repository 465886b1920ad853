'use client'

import type { Outputs } from '@pigeonhole/client'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../components/card.tsx'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { SessionRow } from './session-row.tsx'
import { SESSIONS_KEY } from './sessions-key.ts'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'

type SessionsCardProps = { initial: Outputs['account']['sessions'] }

/** Where the user is signed in. */
export function SessionsCard({ initial }: SessionsCardProps) {
  const { client } = useClients()
  const { t } = useWords()
  const { data } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: () => client.account.sessions.query(),
    initialData: initial,
  })
  return (
    <Card title={t('sessions.title')} description={t('sessions.text')}>
      <ul aria-label={t('sessions.list')} className="divide-y divide-line">
        {data.items.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      <SignOutEverywhere />
    </Card>
  )
}
