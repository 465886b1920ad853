import type { AdminDevice } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { DottedParts } from '../../components/dotted-parts.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { PLATFORM_NAMES } from '../../components/platform-names.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { Cell, ColumnHeads } from '../columns.tsx'
import { ADMIN_KEYS } from '../keys.ts'

const GRID = 'gap-x-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_9rem_9rem]'

/** A user’s devices. Administrators see the end of each token. */
export function UserDevicesCard({ userId }: { userId: string }) {
  const { t } = useMessages()
  const { data, error, refetch } = useQuery({
    queryKey: ADMIN_KEYS.userDevices(userId),
    queryFn: ({ signal }) => admin.users.devices(userId, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <Card title={t('devices.title')} emptyText={t('admin.users.noDevices')}>
      <ErrorNotice error={error} onRetry={refetch} className="m-4" />
      {!data && !error && <Loading />}
      {data && data.items.length > 0 && (
        <>
          <ColumnHeads
            grid={GRID}
            columns={[
              { label: t('admin.users.device') },
              { label: t('admin.users.platform') },
              { label: t('admin.users.registered') },
              { label: t('admin.users.lastSeen') },
            ]}
          />
          <ul aria-label={t('devices.title')} className="divide-y divide-line">
            {data.items.map((device) => (
              <DeviceRow key={device.id} device={device} />
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

function DeviceRow({ device }: { device: AdminDevice }) {
  const { t } = useMessages()
  const { platform, app, name, environment, tokenSuffix, disabledReason, createdAt, lastSeenAt } = device
  return (
    <li className={`grid items-center gap-y-1 px-4 py-2.5 sm:px-5 ${GRID}`}>
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="wrap-anywhere">
            {name ?? t('devices.unnamed', { platform: PLATFORM_NAMES[platform] })}
          </bdi>
          {disabledReason && <Badge tone="warning">{t('admin.users.deviceOff')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft">
          <code className="text-xs">
            <DottedParts parts={[`…${tokenSuffix}`, ...(disabledReason ? [disabledReason] : [])]} />
          </code>
        </p>
      </div>
      <Cell label={t('admin.users.platform')}>
        <DottedParts
          parts={[
            PLATFORM_NAMES[platform],
            ...(app === 'default' ? [] : [app]),
            ...(environment === 'sandbox' ? [t('devices.developmentBuild')] : []),
          ]}
        />
      </Cell>
      <Cell label={t('admin.users.registered')} className="tabular-nums">
        <LocalTime at={createdAt} />
      </Cell>
      <Cell label={t('admin.users.lastSeen')} className="tabular-nums">
        <LocalTime at={lastSeenAt} />
      </Cell>
    </li>
  )
}
