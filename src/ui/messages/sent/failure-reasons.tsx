import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FailureReasonList } from '../failure-reason-list.tsx'
import { FetchedSection } from './fetched-section.tsx'

/** Failed devices by reason, in words and with the code. Administrators read what to do. */
export function FailureReasons({ messageId, failed }: { messageId: string; failed: number }) {
  const { client } = useClients()
  const { t } = useMessages()
  const { isAdmin } = useSession().user
  const title = t('sent.failures', { count: failed })
  return (
    <FetchedSection
      title={title}
      // Further failures change the key, so that the reasons are fetched again.
      queryKey={['failures', messageId, failed]}
      fetchData={(signal) => client.messages.failures.query({ messageId }, { signal })}
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-ink-soft">{t('sent.failuresGone')}</p>
        ) : (
          <FailureReasonList label={title} items={items} failed={failed} forAdmin={isAdmin} />
        )
      }
    </FetchedSection>
  )
}
