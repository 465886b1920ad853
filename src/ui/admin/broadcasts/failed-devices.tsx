import { LocalTime } from '../../components/local-time.tsx'
import { PLATFORM_NAMES } from '../../components/platform-names.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { FetchedDisclosure } from '../../messages/sent/fetched-disclosure.tsx'
import { admin } from '../admin-client.ts'

/** Devices shown. The API has up to 10,000. */
const SHOWN = 100

/** The devices that a broadcast failed for, with their users, fetched when the section is opened. */
export function FailedDevices({ id, failed }: { id: string; failed: number }) {
  const { t } = useMessages()
  const title = t('sent.failures', { count: failed })
  return (
    <div className="mt-2 max-w-2xl">
      <FetchedDisclosure
        title={title}
        // Further failures change the key, so that the devices are fetched again.
        queryKey={['admin', 'broadcast-failures', id, failed]}
        fetchData={(signal) => admin.broadcasts.failures(id, { limit: SHOWN }, signal)}
      >
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p className="text-ink-soft">{t('sent.failuresGone')}</p>
          ) : (
            <>
              <ul aria-label={title} className="max-h-80 space-y-1 overflow-y-auto">
                {items.map(({ deviceId, userId, platform, reason, at }) => (
                  <li key={`${deviceId} ${at}`} className="flex flex-wrap items-baseline gap-x-3">
                    <code className="text-xs">{reason}</code>
                    <span>{PLATFORM_NAMES[platform]}</span>
                    {userId && (
                      <AppLink
                        href={`/admin/users/${userId}`}
                        className="relative inline-block py-1 text-accent underline"
                      >
                        {t('admin.broadcasts.user')}
                        <span className="sr-only">{` ${userId}`}</span>
                      </AppLink>
                    )}
                    <span className="text-ink-soft tabular-nums">
                      <LocalTime at={at} />
                    </span>
                  </li>
                ))}
              </ul>
              {nextCursor !== null && (
                <p className="mt-2 text-ink-soft">{t('admin.broadcasts.moreFailures', { count: SHOWN })}</p>
              )}
            </>
          )
        }
      </FetchedDisclosure>
    </div>
  )
}
