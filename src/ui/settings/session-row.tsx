import type { Outputs } from '@pigeonhole/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorDetails } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SettingsRow } from './settings-row.tsx'

/** Query key of the user's sessions. */
export const SESSIONS_KEY = ['sessions']

type SessionRowProps = { session: Outputs['account']['sessions']['items'][number] }

export function SessionRow({ session }: SessionRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => client.account.revokeSession.mutate({ id: session.id }),
    onSuccess: () => announce(t('sessions.ended')),
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  })
  const name = session.client ?? t('sessions.unknownClient')
  // NOT_FOUND means that it has already ended. The list is being fetched again.
  const failed = end.isError && errorDetails(end.error).code !== 'NOT_FOUND'
  return (
    <SettingsRow
      icon={MonitorSmartphone}
      title={
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {name}
          {session.current && <Badge tone="good">{t('sessions.current')}</Badge>}
        </p>
      }
      actions={
        !session.current && (
          <Button
            className="max-sm:px-3"
            aria-label={t('sessions.endOf', { name })}
            busy={end.isPending}
            onClick={() => end.mutate()}
          >
            {t('sessions.end')}
          </Button>
        )
      }
      footer={failed && <ErrorNotice error={end.error} className="mt-2" />}
    >
      <p>
        <DottedParts
          capitalized
          parts={[
            t.rich('apiKeys.lastUsed', {
              time: session.lastSeenAt,
              when: () => <LocalTime at={session.lastSeenAt} />,
            }),
            t.rich('sessions.signedIn', {
              time: session.createdAt,
              when: () => <LocalTime at={session.createdAt} />,
            }),
          ]}
        />
      </p>
    </SettingsRow>
  )
}
