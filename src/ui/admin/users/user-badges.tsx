'use client'

import type { AdminUser } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'

/** What is particular about a user: administrator, disabled. */
export function UserBadges({ user }: { user: Pick<AdminUser, 'role' | 'disabled'> }) {
  const { t } = useWords()
  return (
    <>
      {user.role === 'admin' && <Badge tone="good">{t('admin.users.admin')}</Badge>}
      {user.disabled && <Badge tone="bad">{t('admin.users.disabled')}</Badge>}
    </>
  )
}
