import type { AdminUser } from '@pigeonhole/client/admin'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MailReset } from './mail-reset.tsx'
import { useUserChange } from './use-user-change.ts'
import { userInText } from './user-in-text.tsx'
import { UserMenu } from './user-menu.tsx'

type UserActionsProps = {
  user: AdminUser
  canMail: boolean
  isSettingPassword: boolean
  onSetPassword(): void
}

/** An administrator's actions on another user: the usual ones as buttons, the others in a menu. */
export function UserActions({ user, canMail, isSettingPassword, onSetPassword }: UserActionsProps) {
  const hasPassword = user.email !== null && user.externalId === null
  return (
    <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
      {hasPassword && canMail && !user.disabled && <MailReset user={user} />}
      {user.disabled ? <EnableUser user={user} /> : <DisableUser user={user} />}
      <UserMenu
        user={user}
        isSettingPassword={isSettingPassword}
        onSetPassword={hasPassword ? onSetPassword : undefined}
      />
    </div>
  )
}

function EnableUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const change = useUserChange(user.id, t('admin.users.enabled'))
  return (
    <>
      <Button variant="primary" busy={change.isPending} onClick={() => change.mutate({ disabled: false })}>
        {t('admin.users.enable')}
      </Button>
      <ErrorNotice error={change.error} className="w-full" />
    </>
  )
}

function DisableUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const change = useUserChange(user.id, t('admin.users.disabled'))
  return (
    <DeleteButton
      label={t('admin.users.disable')}
      title={t('admin.users.disableTitle')}
      description={t.rich('admin.users.disableWarning', userInText(user))}
      confirmLabel={t('admin.users.disable')}
      doneText={t('admin.users.disabled')}
      onConfirm={() => change.mutateAsync({ disabled: true })}
    />
  )
}
