import type { AdminUser } from '@pigeonhole/client/admin'
import { DeleteButton } from '../../components/delete-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useUserChange } from './use-user-change.ts'
import { userName } from './user-name.ts'

/** Grants or removes the administrator role after a confirmation. */
export function ChangeRole({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const change = useUserChange(user.id, t('admin.users.roleChanged'))
  const isAdmin = user.role === 'admin'
  const label = t(isAdmin ? 'admin.users.removeAdmin' : 'admin.users.makeAdmin')
  return (
    <DeleteButton
      key={user.role}
      label={label}
      variant={isAdmin ? 'danger-outline' : 'secondary'}
      title={t(isAdmin ? 'admin.users.removeAdminTitle' : 'admin.users.makeAdminTitle', {
        user: userName(user),
      })}
      description={t(isAdmin ? 'admin.users.removeAdminWarning' : 'admin.users.makeAdminWarning')}
      confirmLabel={label}
      doneText={t('admin.users.roleChanged')}
      expectedErrors={{ CONFLICT: 'admin.users.unverified' }}
      onConfirm={() => change.mutateAsync({ role: isAdmin ? 'user' : 'admin' })}
    />
  )
}
