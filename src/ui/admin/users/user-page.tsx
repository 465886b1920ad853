'use client'

import type { AdminUser } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { useSession } from '../../context/use-session.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminItemPage } from '../admin-item-page.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PushTokensCard } from '../push-tokens/push-tokens-card.tsx'
import { UserActions } from './user-actions.tsx'
import { UserBadges } from './user-badges.tsx'
import { UserDetailsCard } from './user-details-card.tsx'
import { UserDevicesCard } from './user-devices-card.tsx'
import { accountName, displayName } from './user-name.ts'
import { UserQuotaCard } from './user-quota-card.tsx'

/** Few visitors of the page set a password. */
const SetPassword = lazy(async () => ({ default: (await import('./set-password.tsx')).SetPassword }))

type UserPageProps = {
  id: string
  defaultQuotaBytes: number
  /** True if the server can email links. */
  canMail: boolean
  /** The user as it came with the HTML. */
  first: FirstResponse<AdminUser>
}

/** A user and what an administrator can change. */
export function UserPage({ id, defaultQuotaBytes, canMail, first }: UserPageProps) {
  const query = useQuery({
    queryKey: ADMIN_KEYS.user(id),
    queryFn: ({ signal }) => admin.users.find(id, signal),
    refetchOnWindowFocus: false,
    ...startingWith(first),
  })
  const { t } = useMessages()
  const isSelf = useSession().user.id === id
  const [isSettingPassword, setSettingPassword] = useState(false)
  return (
    <AdminItemPage<AdminUser>
      list="/admin/users"
      texts={{
        list: 'admin.users.back',
        one: 'admin.users.one',
        notFound: 'admin.users.notFound',
        notFoundText: 'admin.users.notFoundText',
      }}
      query={query}
      nextStep={
        <AppLink
          href={`/admin/audit?user=${encodeURIComponent(id)}`}
          className={buttonClass('secondary', 'relative')}
        >
          {t('admin.users.audit')}
        </AppLink>
      }
      heading={displayName}
      badges={(user) => <UserBadges user={user} />}
      actions={(user) =>
        !isSelf && (
          <UserActions
            user={user}
            canMail={canMail}
            isSettingPassword={isSettingPassword}
            onSetPassword={() => setSettingPassword(true)}
          />
        )
      }
    >
      {(user) => (
        <>
          {isSelf && <p className="text-sm text-ink-soft">{t('admin.users.yourself')}</p>}
          {isSettingPassword && (
            <Suspense>
              <SetPassword user={user} onClose={() => setSettingPassword(false)} />
            </Suspense>
          )}
          <div className="grid gap-4 sm:gap-6 lg:grid-cols-[3fr_2fr]">
            <UserDetailsCard user={user} />
            <UserQuotaCard user={user} defaultQuotaBytes={defaultQuotaBytes} />
          </div>
          <UserDevicesCard userId={id} />
          <PushTokensCard owner={{ id, name: accountName(user) }} />
        </>
      )}
    </AdminItemPage>
  )
}
