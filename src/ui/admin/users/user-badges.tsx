import type { AdminUser } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Badges of administrators and disabled users. */
export function UserBadges({ user }: { user: Pick<AdminUser, 'role' | 'disabled'> }) {
  const { t } = useMessages()
  return (
    <>
      {user.role === 'admin' && <Badge tone="good">{t('admin.users.admin')}</Badge>}
      {user.disabled && <Badge tone="bad">{t('admin.users.disabled')}</Badge>}
    </>
  )
}
