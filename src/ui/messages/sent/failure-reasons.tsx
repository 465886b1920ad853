'use client'

import { platformName } from '../../components/platform-name.ts'
import { useClients } from '../../context/use-clients.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { FetchedFold } from './fetched-fold.tsx'

/** Why devices failed, by reason; fetched when it is unfolded. */
export function FailureReasons({ messageId, failed }: { messageId: string; failed: number }) {
  const { client } = useClients()
  const { t, format } = useWords()
  const title = t('sent.failures', { count: failed })
  return (
    <FetchedFold
      title={title}
      // Counted again when more have failed.
      queryKey={['failures', messageId, failed]}
      fetchData={(signal) => client.messages.failures.query({ messageId }, { signal })}
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-ink-soft">{t('sent.failuresGone')}</p>
        ) : (
          <ul aria-label={title} className="space-y-1">
            {items.map(({ platform, reason, count }) => (
              <li key={`${platform} ${reason}`} className="flex items-baseline gap-3">
                <span className="min-w-8 text-right font-medium tabular-nums">{format.number(count)}</span>
                <span className="min-w-0 flex-1">
                  {platformName(platform)} · <code className="text-xs">{reason}</code>
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </FetchedFold>
  )
}
