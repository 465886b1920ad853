import type { AdminUser } from '@pigeonhole/client/admin'
import { Ellipsis, KeyRound, LogOut, ShieldMinus, ShieldPlus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Menu, MenuDivider, MenuItem } from '../../components/menu.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { UserDialogName } from './user-dialogs.tsx'

type UserMenuProps = {
  user: AdminUser
  isSettingPassword: boolean
  /** Undefined if the user has no password here. */
  onSetPassword: (() => void) | undefined
}

/** Few visitors of the page open one. */
const UserDialog = lazy(async () => ({ default: (await import('./user-dialogs.tsx')).UserDialog }))

/** Menu of rare actions on a user. Destructive actions come last. Each action asks for confirmation or opens a form. */
export function UserMenu({ user, isSettingPassword, onSetPassword }: UserMenuProps) {
  const { t } = useMessages()
  const [dialog, setDialog] = useState<UserDialogName>()
  const button = useFocusOnClose(isSettingPassword)
  const isAdmin = user.role === 'admin'
  return (
    <>
      <Menu label={t('admin.users.more')} icon={Ellipsis} buttonRef={button}>
        {onSetPassword && (
          <MenuItem icon={KeyRound} onClick={onSetPassword}>
            {t('admin.users.setNewPassword')}
          </MenuItem>
        )}
        <MenuItem icon={LogOut} onClick={() => setDialog('signOut')}>
          {t('admin.users.signOut')}
        </MenuItem>
        {!isAdmin && (
          <MenuItem icon={ShieldPlus} onClick={() => setDialog('role')}>
            {t('admin.users.makeAdmin')}
          </MenuItem>
        )}
        <MenuDivider />
        {isAdmin && (
          <MenuItem icon={ShieldMinus} danger onClick={() => setDialog('role')}>
            {t('admin.users.removeAdmin')}
          </MenuItem>
        )}
        <MenuItem icon={Trash2} danger onClick={() => setDialog('delete')}>
          {t('admin.users.delete')}
        </MenuItem>
      </Menu>
      {dialog && (
        <Suspense>
          <UserDialog
            name={dialog}
            user={user}
            opener={button.current}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
