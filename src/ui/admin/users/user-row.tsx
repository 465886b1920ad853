import type { AdminUser } from '@pigeonhole/client/admin'
import { Breakable } from '../../components/breakable.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { QuotaMeter } from '../../files/quota-meter.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { UserBadges } from './user-badges.tsx'
import { userName } from './user-name.ts'

type UserRowProps = { user: AdminUser; defaultQuotaBytes: number }

export function UserRow({ user, defaultQuotaBytes }: UserRowProps) {
  const { t } = useMessages()
  const { usedBytes, reservedBytes, quotaBytes, lastSeenAt } = user
  const usage = { used: usedBytes, reserved: reservedBytes, quota: quotaBytes ?? defaultQuotaBytes }
  return (
    <li className="row-lazy flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <AppLink
            href={`/admin/users/${user.id}`}
            className="relative inline-flex min-h-8 items-center font-medium text-accent underline pointer-coarse:min-h-11"
          >
            <bdi className="text-balance">
              <Breakable>{userName(user)}</Breakable>
            </bdi>
          </AppLink>
          <UserBadges user={user} />
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {user.email && user.name && (
            <>
              <bdi>{user.name}</bdi> ·{' '}
            </>
          )}
          {t('admin.users.counts', { files: user.files, devices: user.devices })} ·{' '}
          {lastSeenAt
            ? t.rich('admin.users.seen', { time: lastSeenAt, when: () => <LocalTime at={lastSeenAt} /> })
            : t('admin.users.neverSeen')}
        </p>
      </div>
      <div className="w-full sm:w-56">
        <QuotaMeter usage={usage} />
      </div>
    </li>
  )
}
