import { PLATFORM_NAMES } from '../../components/platform-names.ts'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FAILURE_CAUSES, failureCause } from '../failure-causes.ts'
import { FetchedDisclosure } from './fetched-disclosure.tsx'

/** Failed devices by reason, in words and with the code. Administrators read what to do. Fetched when opened. */
export function FailureReasons({ messageId, failed }: { messageId: string; failed: number }) {
  const { client } = useClients()
  const { t, format } = useMessages()
  const { isAdmin } = useSession().user
  const title = t('sent.failures', { count: failed })
  return (
    <FetchedDisclosure
      title={title}
      // Further failures change the key, so that the reasons are fetched again.
      queryKey={['failures', messageId, failed]}
      fetchData={(signal) => client.messages.failures.query({ messageId }, { signal })}
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-ink-soft">{t('sent.failuresGone')}</p>
        ) : (
          <ul aria-label={title} className="space-y-3">
            {items.map(({ platform, reason, count }) => {
              const { text, advice } = FAILURE_CAUSES[failureCause(reason)]
              return (
                <li key={`${platform} ${reason}`} className="flex items-baseline gap-3">
                  <span className="min-w-8 text-right font-medium tabular-nums">{format.number(count)}</span>
                  <span className="min-w-0 flex-1">
                    {t(text)} {t(isAdmin ? advice : 'sent.askAdmin')}
                    <span className="block text-ink-soft">
                      {PLATFORM_NAMES[platform]} · <code className="text-xs wrap-anywhere">{reason}</code>
                    </span>
                  </span>
                </li>
              )
            })}
          </ul>
        )
      }
    </FetchedDisclosure>
  )
}
