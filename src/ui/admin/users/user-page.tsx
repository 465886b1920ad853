'use client'

import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/loading.tsx'
import { Notice } from '../../components/notice.tsx'
import { errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { PushTokensCard } from '../push-tokens/push-tokens-card.tsx'
import { UserAccessCard } from './user-access-card.tsx'
import { UserBadges } from './user-badges.tsx'
import { UserFactsCard } from './user-facts-card.tsx'
import { userName } from './user-name.ts'
import { UserQuotaCard } from './user-quota-card.tsx'

type UserPageProps = { id: string; defaultQuotaBytes: number }

/** A user, and what an administrator can do with him. */
export function UserPage({ id, defaultQuotaBytes }: UserPageProps) {
  const { t } = useWords()
  const { data: user, error } = useQuery({
    queryKey: ADMIN_KEYS.user(id),
    queryFn: ({ signal }) => admin.users.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <div className="space-y-6">
      <AppLink href="/admin/users" className="relative inline-block py-2 text-sm text-accent underline">
        {t('admin.users.back')}
      </AppLink>
      {error && <Notice tone="error">{errorText(t, error, { NOT_FOUND: 'admin.users.notFound' })}</Notice>}
      {!user && !error && <Loading />}
      {user && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <AdminHeading>
              <bdi>{userName(user)}</bdi>
            </AdminHeading>
            <UserBadges user={user} />
          </div>
          <UserFactsCard user={user} />
          <UserQuotaCard user={user} defaultQuotaBytes={defaultQuotaBytes} />
          <PushTokensCard owner={{ id, name: userName(user) }} />
          <UserAccessCard user={user} />
        </>
      )}
    </div>
  )
}
