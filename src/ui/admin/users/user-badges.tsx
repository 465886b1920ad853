import type { AdminUser } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Badges of administrators, disabled users, and users who signed up with an email that can be another user's. */
export function UserBadges({ user }: { user: Pick<AdminUser, 'role' | 'disabled' | 'emailVerified'> }) {
  const { t } = useMessages()
  return (
    <>
      {user.role === 'admin' && <Badge tone="good">{t('admin.users.admin')}</Badge>}
      {user.emailVerified === false && <Badge tone="warning">{t('admin.users.emailUnverified')}</Badge>}
      {user.disabled && <Badge tone="bad">{t('admin.users.disabled')}</Badge>}
    </>
  )
}
