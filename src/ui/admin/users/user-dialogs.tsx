import type { AdminUser } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { DeleteDialog } from '../../components/delete-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { WholeName } from '../../components/whole-name.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { useUserChange } from './use-user-change.ts'
import { userInText } from './user-in-text.tsx'
import { accountName } from './user-name.ts'

type DialogProps = { user: AdminUser; opener: HTMLElement | null; onClose(): void }

const DIALOGS = { signOut: SignOutDialog, role: RoleDialog, delete: DeleteUserDialog }

export type UserDialogName = keyof typeof DIALOGS

/** Confirmation of a rare action on a user. */
export function UserDialog({ name, ...props }: DialogProps & { name: UserDialogName }) {
  const Dialog = DIALOGS[name]
  return <Dialog {...props} />
}

function SignOutDialog({ user, ...dialog }: DialogProps) {
  const { t } = useMessages()
  return (
    <DeleteDialog
      title={t('admin.users.signOutTitle')}
      description={t.rich('admin.users.signOutText', userInText(user))}
      confirmLabel={t('admin.users.signOut')}
      doneText={t('admin.users.signedOut')}
      onConfirm={() => admin.users.signOut(user.id)}
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
      title={t(isAdmin ? 'admin.users.removeAdminTitle' : 'admin.users.makeAdminTitle')}
      description={t.rich(
        isAdmin ? 'admin.users.removeAdminWarning' : 'admin.users.makeAdminWarning',
        userInText(user),
      )}
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
  const name = accountName(user)
  const { usedBytes, reservedBytes, devices } = user
  const bytes = usedBytes + reservedBytes
  return (
    <DeleteDialog
      title={t('admin.users.deleteTitle')}
      description={t.rich('admin.users.deleteWarning', userInText(user))}
      confirmLabel={t('admin.users.delete')}
      disabled={asTyped(typed) !== asTyped(name)}
      onConfirm={() => admin.users.delete(user.id)}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
        router.push('/admin/users')
      }}
      {...dialog}
    >
      <p className="mt-3 text-sm">{t('admin.users.deletedData')}</p>
      <ul className="mt-1 list-disc space-y-1 pl-5 text-sm tabular-nums">
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
