import type { AdminUser } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, KeyRound, LogOut, ShieldMinus, ShieldPlus, Trash2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { DeleteDialog } from '../../components/delete-button.tsx'
import { Menu, MenuDivider, MenuItem } from '../../components/menu.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { WholeName } from '../../components/whole-name.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { useUserChange } from './use-user-change.ts'
import { userName } from './user-name.ts'

type UserMenuProps = {
  user: AdminUser
  isSettingPassword: boolean
  /** Undefined if the user has no password here. */
  onSetPassword: (() => void) | undefined
}

type DialogProps = { user: AdminUser; opener: HTMLElement | null; onClose(): void }

const DIALOGS = { signOut: SignOutDialog, role: RoleDialog, delete: DeleteUserDialog }

/** Menu of rare actions on a user. Destructive actions come last. Each action asks for confirmation or opens a form. */
export function UserMenu({ user, isSettingPassword, onSetPassword }: UserMenuProps) {
  const { t } = useMessages()
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>()
  const button = useFocusOnClose(isSettingPassword)
  const Dialog = dialog && DIALOGS[dialog]
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
      {Dialog && <Dialog user={user} opener={button.current} onClose={() => setDialog(undefined)} />}
    </>
  )
}

function SignOutDialog({ user: { id }, ...dialog }: DialogProps) {
  const { t } = useMessages()
  return (
    <DeleteDialog
      title={t('admin.users.signOutTitle')}
      description={t('admin.users.signOutText')}
      confirmLabel={t('admin.users.signOut')}
      doneText={t('admin.users.signedOut')}
      onConfirm={() => admin.users.signOut(id)}
      {...dialog}
    />
  )
}

/** Grants or removes the administrator role. */
function RoleDialog({ user, ...dialog }: DialogProps) {
  const { t } = useMessages()
  // The role changes before the dialog closes.
  const [isAdmin] = useState(user.role === 'admin')
  const doneText = t(isAdmin ? 'admin.users.removedAdmin' : 'admin.users.madeAdmin')
  const change = useUserChange(user.id, doneText)
  return (
    <DeleteDialog
      title={t.rich(isAdmin ? 'admin.users.removeAdminTitle' : 'admin.users.makeAdminTitle', {
        user: userName(user),
        name: () => <WholeName>{userName(user)}</WholeName>,
      })}
      description={t(isAdmin ? 'admin.users.removeAdminWarning' : 'admin.users.makeAdminWarning')}
      confirmLabel={t(isAdmin ? 'admin.users.removeAdmin' : 'admin.users.makeAdmin')}
      confirmVariant={isAdmin ? 'danger' : 'primary'}
      doneText={doneText}
      expectedErrors={{ CONFLICT: 'admin.users.unverified' }}
      onConfirm={() => change.mutateAsync({ role: isAdmin ? 'user' : 'admin' })}
      {...dialog}
    />
  )
}

/** Names as they look: with single spaces, and composed characters. */
const asTyped = (name: string) => name.normalize('NFC').replace(/\s+/gu, ' ').trim()

function DeleteUserDialog({ user, ...dialog }: DialogProps) {
  const { t, format } = useMessages()
  const router = useRouter()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = userName(user)
  const { usedBytes, reservedBytes, devices } = user
  const bytes = usedBytes + reservedBytes
  return (
    <DeleteDialog
      title={t('admin.users.deleteTitle')}
      description={t.rich('admin.users.deleteWarning', {
        user: name,
        name: () => (
          <span className="font-medium text-ink">
            <WholeName>{name}</WholeName>
          </span>
        ),
      })}
      confirmLabel={t('admin.users.delete')}
      disabled={asTyped(typed) !== asTyped(name)}
      onConfirm={() => admin.users.delete(user.id)}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
        router.push('/admin/users')
      }}
      {...dialog}
    >
      <ul className="mt-3 list-disc space-y-1 pl-5 text-sm tabular-nums">
        {bytes > 0 && <li>{t('admin.users.deletedFiles', { size: format.bytes(bytes) })}</li>}
        {devices > 0 && <li>{t('admin.users.deletedDevices', { devices })}</li>}
        <li>{t('admin.users.deletedOthers')}</li>
      </ul>
      <TextField
        label={t.rich('admin.users.typeName', { user: name, name: () => <WholeName>{name}</WholeName> })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        className="mt-4"
      />
    </DeleteDialog>
  )
}
