'use client'

import type { AdminUser } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PushTokensCard } from '../push-tokens/push-tokens-card.tsx'
import { UserAccessCard } from './user-access-card.tsx'
import { UserBadges } from './user-badges.tsx'
import { UserDetailsCard } from './user-details-card.tsx'
import { userName } from './user-name.ts'
import { UserQuotaCard } from './user-quota-card.tsx'

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
  const { t } = useMessages()
  const { data: user, error } = useQuery({
    queryKey: ADMIN_KEYS.user(id),
    queryFn: ({ signal }) => admin.users.find(id, signal),
    refetchOnWindowFocus: false,
    ...startingWith(first),
  })
  return (
    <div className="space-y-6">
      <AppLink href="/admin/users" className="relative inline-block py-2 text-sm text-accent underline">
        {t('admin.users.back')}
      </AppLink>
      {!user && <AdminHeading>{t('admin.users.one')}</AdminHeading>}
      <ErrorNotice error={error} expected={{ NOT_FOUND: 'admin.users.notFound' }} />
      {!user && !error && <Loading />}
      {user && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <AdminHeading>
              <bdi>{userName(user)}</bdi>
            </AdminHeading>
            <UserBadges user={user} />
          </div>
          <UserDetailsCard user={user} />
          <UserQuotaCard user={user} defaultQuotaBytes={defaultQuotaBytes} />
          <PushTokensCard owner={{ id, name: userName(user) }} />
          <UserAccessCard user={user} canMail={canMail} />
        </>
      )}
    </div>
  )
}
