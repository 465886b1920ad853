import type { AdminBroadcastDetails, MessageFailure } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { PLATFORM_NAMES } from '../../components/platform-names.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { FAILURE_CAUSES, failureCause } from '../../messages/failure-causes.ts'
import { FailureReasonList } from '../../messages/failure-reason-list.tsx'
import { admin } from '../admin-client.ts'
import { Cell, ColumnHeads } from '../columns.tsx'
import { PagedList } from '../paged-list.tsx'

/** Devices per page. */
const PAGE = 50
const GRID = 'gap-x-4 lg:grid-cols-[minmax(0,2fr)_5rem_minmax(0,2fr)_8rem]'
/** Before there are columns, the values of all labels begin at one edge. */
const LABELED = 'max-lg:grid max-lg:grid-cols-[5rem_minmax(0,1fr)]'

/** Failures of a broadcast by reason, with what to do, and the devices with their users. */
export function FailedDevices({ broadcast }: { broadcast: AdminBroadcastDetails }) {
  const { t } = useMessages()
  const { id, failed, failureCounts } = broadcast
  const [isOpen, setOpen] = useState(false)
  const title = t('admin.broadcasts.failures')
  const devices = t('admin.broadcasts.failedDevices')
  if (failureCounts.length === 0)
    return (
      <Card title={title}>
        <EmptyState icon={TriangleAlert} title={t('admin.broadcasts.failuresGoneTitle')}>
          {t('sent.failuresGone')}
        </EmptyState>
      </Card>
    )
  return (
    <Card title={title}>
      <div className="max-w-3xl px-4 py-4 text-sm sm:px-5">
        <FailureReasonList
          label={t('admin.broadcasts.causes')}
          items={failureCounts}
          failed={failed}
          forAdmin
        />
      </div>
      <div className="border-t border-line px-4 sm:px-5 *:border-0">
        <Disclosure title={devices} asRow onToggle={setOpen}>
          <div className="-mx-4 -mb-4 border-t border-line sm:-mx-5">
            {isOpen && <DeviceList label={devices} messageId={id} failed={failed} />}
            <p className="border-t border-line px-4 py-3 text-sm text-ink-soft sm:px-5">
              {t('admin.broadcasts.failuresKept')}
            </p>
          </div>
        </Disclosure>
      </div>
    </Card>
  )
}

type DeviceListProps = { label: string; messageId: string; failed: number }

function DeviceList({ label, messageId, failed }: DeviceListProps) {
  const { t } = useMessages()
  return (
    <PagedList
      label={label}
      // Further failures change the key, so that the devices are fetched again.
      queryKey={[...ADMIN_FAILURES, messageId, failed]}
      fetchPage={async (cursor, signal) => {
        const page = await admin.broadcasts.failures(messageId, { cursor, limit: PAGE }, signal)
        const items = page.items.map((item) => ({ ...item, id: `${item.deviceId} ${item.at}` }))
        return { items, nextCursor: page.nextCursor }
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
  )
}

const ADMIN_FAILURES = ['admin', 'broadcast-failures'] as const

function FailureRow({ failure: { userId, user, platform, reason, at } }: { failure: MessageFailure }) {
  const { t } = useMessages()
  const name = user?.name ?? user?.email ?? userId
  return (
    <li className={clsx('grid gap-y-1 px-4 py-2.5 sm:px-5', GRID)}>
      <Cell label={t('admin.broadcasts.user')} className={LABELED}>
        {userId && user ? (
          <div className="min-w-0">
            <AppLink
              href={`/admin/users/${userId}`}
              className="relative inline-flex min-h-6 max-w-full lg:-my-0.5 items-center text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
            >
              <bdi className="truncate">{name}</bdi>
            </AppLink>
            {user.name !== null && user.email !== null && (
              <p title={user.email} className="truncate text-xs text-ink-soft">
                <bdi>{user.email}</bdi>
              </p>
            )}
          </div>
        ) : (
          <span className="text-ink-soft">{t('admin.broadcasts.userGone')}</span>
        )}
      </Cell>
      <Cell label={t('admin.broadcasts.platform')} className={LABELED}>
        {PLATFORM_NAMES[platform]}
      </Cell>
      <Cell label={t('admin.broadcasts.reason')} className={LABELED}>
        <div className="min-w-0">
          {t(FAILURE_CAUSES[failureCause(reason)].text)}
          <code className="block text-xs wrap-anywhere text-ink-soft">{reason}</code>
        </div>
      </Cell>
      <Cell label={t('admin.broadcasts.time')} className={clsx('tabular-nums', LABELED)}>
        <LocalTime at={at} />
      </Cell>
    </li>
  )
}
