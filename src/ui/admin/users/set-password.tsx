import type { AdminUser } from '@pigeonhole/client/admin'
import { Button } from '../../components/button.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useUserChange } from './use-user-change.ts'

type SetPasswordProps = { user: AdminUser; isOpen: boolean; setOpen(isOpen: boolean): void }

/** Button that opens a form below the actions, which sets a user's password. */
export function SetPassword({ user, isOpen, setOpen }: SetPasswordProps) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const button = useFocusOnClose(isOpen)
  const change = useUserChange(user.id, t('admin.users.passwordSet'))
  if (!isOpen)
    return (
      <Button
        ref={button}
        onClick={() => {
          change.reset()
          setOpen(true)
        }}
      >
        {t('admin.users.setNewPassword')}
      </Button>
    )
  return (
    <div className="order-last -mx-4 mt-2 -mb-4 w-[calc(100%+2rem)] border-t border-line sm:-mx-5 sm:w-[calc(100%+2.5rem)]">
      <CreateForm
        submitLabel={t('admin.users.savePassword')}
        busy={change.isPending}
        error={change.isError ? errorText(t, change.error) : undefined}
        onCancel={() => setOpen(false)}
        onSubmit={(fields) =>
          change.mutate(
            { password: String(fields.get('password')) },
            {
              onSuccess: () => {
                setOpen(false)
                notify(t('admin.users.passwordSet'), 'info')
              },
            },
          )
        }
      >
        <p className="text-sm text-ink-soft">{t('admin.users.passwordText')}</p>
        <NewPasswordField label={t('admin.users.newPassword')} className="max-w-md" />
      </CreateForm>
    </div>
  )
}
