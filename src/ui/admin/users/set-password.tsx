import type { AdminUser } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useUserChange } from './use-user-change.ts'

/** Form that sets a user's password. */
export function SetPassword({ user, onClose }: { user: AdminUser; onClose(): void }) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const change = useUserChange(user.id, t('admin.users.passwordSet'))
  return (
    <Card title={t('admin.users.setNewPassword')} description={t('admin.users.passwordText')}>
      <CreateForm
        submitLabel={t('admin.users.setNewPassword')}
        busy={change.isPending}
        error={change.isError ? errorText(t, change.error) : undefined}
        onCancel={onClose}
        onSubmit={(fields) =>
          change.mutate(
            { password: String(fields.get('password')) },
            {
              onSuccess: () => {
                onClose()
                notify(t('admin.users.passwordSet'), 'info')
              },
            },
          )
        }
      >
        <NewPasswordField label={t('admin.users.newPassword')} />
      </CreateForm>
    </Card>
  )
}
