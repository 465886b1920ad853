import type { AdminBroadcast, MessageFailure } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { PLATFORM_NAMES } from '../../components/platform-names.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { causesOf, FAILURE_CAUSES, failureCause } from '../../messages/failure-causes.ts'
import { admin } from '../admin-client.ts'
import { Cell, ColumnHeads } from '../columns.tsx'
import { PagedList } from '../paged-list.tsx'

/** Devices per page. */
const PAGE = 50
const GRID = 'gap-x-4 lg:grid-cols-[minmax(0,2fr)_5rem_minmax(0,2fr)_8rem]'

/** Why a broadcast failed, what to do about it, and the devices with their users. */
export function FailedDevices({ broadcast: { id, failed, failures } }: { broadcast: AdminBroadcast }) {
  const { t } = useMessages()
  const title = t('admin.broadcasts.failures')
  return (
    <Card title={title} description={t('admin.broadcasts.failuresText')}>
      <ul
        aria-label={t('admin.broadcasts.causes')}
        className="space-y-3 border-b border-line px-4 py-4 text-sm sm:px-5"
      >
        {causesOf(failures).map((cause) => (
          <li key={cause} className="flex max-w-2xl gap-3">
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
            <p>
              <span className="font-medium">{t(FAILURE_CAUSES[cause].text)}</span>{' '}
              {t(FAILURE_CAUSES[cause].advice)}
            </p>
          </li>
        ))}
      </ul>
      <PagedList
        label={title}
        // Further failures change the key, so that the devices are fetched again.
        queryKey={[...ADMIN_FAILURES, id, failed]}
        fetchPage={async (cursor, signal) => {
          const { items, nextCursor } = await admin.broadcasts.failures(id, { cursor, limit: PAGE }, signal)
          return { items: items.map((item) => ({ ...item, id: `${item.deviceId} ${item.at}` })), nextCursor }
        }}
        head={
          <ColumnHeads
            grid={GRID}
            columns={[
              { label: t('admin.broadcasts.user') },
              { label: t('admin.broadcasts.platform') },
              { label: t('admin.broadcasts.reason') },
              { label: t('admin.broadcasts.time') },
            ]}
          />
        }
        row={(failure) => <FailureRow key={failure.id} failure={failure} />}
        empty={
          <EmptyState icon={TriangleAlert} title={t('admin.broadcasts.failuresGoneTitle')}>
            {t('sent.failuresGone')}
          </EmptyState>
        }
      />
    </Card>
  )
}

const ADMIN_FAILURES = ['admin', 'broadcast-failures'] as const

function FailureRow({ failure: { userId, user, platform, reason, at } }: { failure: MessageFailure }) {
  const { t } = useMessages()
  const name = user?.email ?? user?.name ?? userId
  return (
    <li className={clsx('grid gap-y-1 px-4 py-2.5 sm:px-5', GRID)}>
      <Cell label={t('admin.broadcasts.user')}>
        {userId && user ? (
          <AppLink
            href={`/admin/users/${userId}`}
            className="relative inline-flex min-h-6 max-w-full items-center text-accent underline pointer-coarse:min-h-11"
          >
            <bdi className="truncate">{name}</bdi>
          </AppLink>
        ) : (
          <span className="text-ink-soft">{t('admin.broadcasts.userGone')}</span>
        )}
      </Cell>
      <Cell label={t('admin.broadcasts.platform')}>{PLATFORM_NAMES[platform]}</Cell>
      <Cell label={t('admin.broadcasts.reason')}>
        {t(FAILURE_CAUSES[failureCause(reason)].text)}
        <code className="block text-xs wrap-anywhere text-ink-soft">{reason}</code>
      </Cell>
      <Cell label={t('admin.broadcasts.time')} className="tabular-nums">
        <LocalTime at={at} />
      </Cell>
    </li>
  )
}
