import type { AdminUser } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ActionRow } from '../../components/action-row.tsx'
import { Button } from '../../components/button.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { useUserChange } from './use-user-change.ts'

type ResetPasswordProps = { user: AdminUser; canMail: boolean }

/** Emails a user a link that sets a new password, or sets one. */
export function ResetPassword({ user, canMail }: ResetPasswordProps) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    // Closing the form removed the focused element.
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const change = useUserChange(user.id, t('admin.users.passwordSet'))
  const mail = useMutation({
    mutationFn: () => admin.users.sendPasswordReset(user.id),
    onSuccess: () => notify(t('admin.users.invited', { email: user.email ?? '' }), 'info'),
  })
  return (
    <div>
      <ActionRow title={t('common.password')} text={t('admin.users.passwordText')}>
        <div className="flex flex-wrap gap-2">
          {canMail && !user.disabled && (
            <Button busy={mail.isPending} onClick={() => mail.mutate()}>
              {t('admin.users.mailReset')}
            </Button>
          )}
          {!isOpen && (
            <Button
              ref={button}
              onClick={() => {
                change.reset()
                setOpen(true)
              }}
            >
              {t('admin.users.setNewPassword')}
            </Button>
          )}
        </div>
        <ErrorNotice error={mail.error} className="w-full" />
      </ActionRow>
      {isOpen && (
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
          <NewPasswordField label={t('admin.users.newPassword')} className="max-w-md" />
        </CreateForm>
      )}
    </div>
  )
}
