import type { AdminUser } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { Badge } from '../../components/badge.tsx'
import { Breakable } from '../../components/breakable.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { QuotaMeter } from '../../files/quota-meter.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { Cell } from '../columns.tsx'
import { displayName } from './user-name.ts'

type UserRowProps = { user: AdminUser; defaultQuotaBytes: number }

/** Columns of the list on wide screens: user, role, state, storage, creation, last use. */
export const USER_GRID = 'lg:grid-cols-[minmax(0,1fr)_7rem_9.5rem_12rem_5.5rem_7rem]'

/** A user as a table row or, on phones, in a few lines: name, unusual role and state, email, storage and last use. */
export function UserRow({ user, defaultQuotaBytes }: UserRowProps) {
  const { t, format } = useMessages()
  const { role, usedBytes, reservedBytes, quotaBytes, createdAt, lastSeenAt, disabled, emailVerified } = user
  const usage = { used: usedBytes, reserved: reservedBytes, quota: quotaBytes ?? defaultQuotaBytes }
  const name = displayName(user)
  const email = user.name === null ? null : user.email
  const isUsual = !disabled && emailVerified !== false
  const hasBadges = role === 'admin' || !isUsual
  return (
    <li
      className={clsx(
        'row-lazy flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 px-4 py-3 sm:grid sm:px-5 lg:items-center',
        'sm:max-lg:grid-cols-[minmax(0,1fr)_auto_13rem]',
        USER_GRID,
      )}
    >
      {/* On phones, the badges are beside the name if it fits there, or else below it. */}
      <div className="min-w-0 max-sm:contents">
        <AppLink
          href={`/admin/users/${user.id}`}
          title={name}
          // A hidden `wbr` can count as a space in the accessible name.
          aria-label={name}
          className="relative inline-flex min-h-6 min-w-0 max-w-full items-center font-medium text-accent underline max-sm:-order-1 pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
        >
          {/* Emails can differ in their ends. On wide screens, a row is one line. */}
          <bdi className="max-sm:line-clamp-3 max-sm:wrap-anywhere sm:truncate sm:[&_wbr]:hidden">
            <Breakable>{name}</Breakable>
          </bdi>
        </AppLink>
        {/* On phones, only the email. */}
        <p
          className={clsx(
            'flex min-w-0 gap-x-1 text-sm whitespace-nowrap text-ink-soft tabular-nums max-sm:basis-full',
            email === null && 'max-sm:hidden',
          )}
        >
          {email !== null && (
            <>
              <bdi title={email} className="truncate">
                {email}
              </bdi>{' '}
              <span className="max-sm:hidden">·</span>{' '}
            </>
          )}
          <span className="max-sm:hidden">
            {t('admin.users.counts', { files: user.files, devices: user.devices })}
          </span>
        </p>
      </div>
      <div
        className={clsx(
          'flex flex-wrap gap-1 pt-0.5 max-sm:-order-1 sm:max-w-36 sm:justify-end lg:contents',
          !hasBadges && 'max-sm:hidden',
        )}
      >
        <Cell label={t('admin.users.role')} isPlain className={clsx(role === 'user' && 'max-lg:hidden')}>
          {role === 'admin' ? (
            <Badge tone="good">{t('admin.users.admin')}</Badge>
          ) : (
            <Badge tone="usual">{t('admin.users.roleUser')}</Badge>
          )}
        </Cell>
        <Cell label={t('admin.status')} isPlain className={clsx(isUsual && 'max-lg:hidden')}>
          <span className="inline-flex flex-wrap gap-1 sm:max-lg:justify-end">
            {emailVerified === false && <Badge tone="warning">{t('admin.users.emailUnverified')}</Badge>}
            {disabled && <Badge tone="bad">{t('admin.users.disabled')}</Badge>}
            {isUsual && <Badge tone="usual">{t('admin.users.active')}</Badge>}
          </span>
        </Cell>
      </div>
      {/* On phones, one line with a dot, which is not visible where the line wraps (see DottedParts). */}
      <div className="max-sm:basis-full max-sm:overflow-hidden sm:contents">
        <div className="max-sm:-ml-3.5 max-sm:flex max-sm:flex-wrap sm:contents">
          <div className="max-sm:pl-3.5 max-sm:[&_[role=meter]]:hidden max-sm:[&_p]:mb-0">
            {usedBytes + reservedBytes > 0 ? (
              <QuotaMeter usage={usage} />
            ) : (
              <p className="text-sm text-ink-soft tabular-nums">
                {t('storage.used', { used: format.bytes(0), quota: format.bytes(usage.quota) })}
              </p>
            )}
          </div>
          <div className="flex gap-x-4 gap-y-1 max-lg:col-span-full max-sm:contents lg:contents">
            <Cell label={t('admin.users.created')} className="tabular-nums max-sm:hidden">
              <LocalTime at={createdAt} dayOnly />
            </Cell>
            <Cell
              label={t('admin.users.lastSeen')}
              className="tabular-nums max-sm:relative max-sm:gap-x-1 max-sm:pl-3.5 max-sm:before:absolute max-sm:before:left-0 max-sm:before:w-3.5 max-sm:before:text-center max-sm:before:content-['·'/'']"
            >
              {lastSeenAt ? (
                <>
                  <span className="sm:hidden">
                    <LocalTime at={lastSeenAt} dayOnly />
                  </span>
                  <span className="max-sm:hidden">
                    <LocalTime at={lastSeenAt} />
                  </span>
                </>
              ) : (
                t('admin.users.neverSeen')
              )}
            </Cell>
          </div>
        </div>
      </div>
    </li>
  )
}
