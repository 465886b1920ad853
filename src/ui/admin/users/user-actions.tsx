import type { AdminUser } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSession } from '../../context/use-session.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { ChangeRole } from './change-role.tsx'
import { MailReset } from './mail-reset.tsx'
import { SetPassword } from './set-password.tsx'
import { useUserChange } from './use-user-change.ts'
import { userName } from './user-name.ts'

type UserActionsProps = { user: AdminUser; canMail: boolean }

/** An administrator's actions on another user. Those that take something away come last. Each asks or explains first. */
export function UserActions({ user, canMail }: UserActionsProps) {
  const { t } = useMessages()
  const [isSetting, setSetting] = useState(false)
  const isSelf = useSession().user.id === user.id
  const hasPassword = user.email !== null && user.externalId === null
  return (
    <Card title={t('admin.users.actions')}>
      {isSelf ? (
        <p className="px-4 py-4 text-sm text-ink-soft sm:px-5">{t('admin.users.yourself')}</p>
      ) : (
        <div className="divide-y divide-line">
          <div className="flex flex-wrap gap-2 px-4 py-4 sm:px-5">
            {user.disabled && <EnableUser user={user} />}
            {hasPassword && canMail && !user.disabled && <MailReset user={user} />}
            {hasPassword && <SetPassword user={user} isOpen={isSetting} setOpen={setSetting} />}
            <SignOut user={user} />
            {user.role === 'user' && <ChangeRole user={user} />}
          </div>
          <div className="flex flex-wrap gap-2 px-4 py-4 sm:px-5">
            {user.role === 'admin' && <ChangeRole user={user} />}
            {!user.disabled && <DisableUser user={user} />}
            <DeleteUser user={user} />
          </div>
        </div>
      )}
    </Card>
  )
}

function SignOut({ user: { id } }: { user: AdminUser }) {
  const { t } = useMessages()
  return (
    <DeleteButton
      label={t('admin.users.signOut')}
      variant="secondary"
      title={t('admin.users.signOutTitle')}
      description={t('admin.users.signOutText')}
      confirmLabel={t('admin.users.signOut')}
      doneText={t('admin.users.signedOut')}
      onConfirm={() => admin.users.signOut(id)}
    />
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
      description={
        <>
          {t('admin.users.disableText')} {t('admin.users.disableWarning')}
        </>
      }
      confirmLabel={t('admin.users.disable')}
      doneText={t('admin.users.disabled')}
      onConfirm={() => change.mutateAsync({ disabled: true })}
    />
  )
}

function DeleteUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const router = useRouter()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = userName(user)
  return (
    <DeleteButton
      label={t('admin.users.delete')}
      title={t('admin.users.deleteTitle')}
      description={t.rich('admin.users.deleteWarning', {
        user: name,
        name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
      })}
      confirmLabel={t('admin.users.delete')}
      expectedErrors={{ [NOT_TYPED]: 'admin.users.typedWrong' }}
      onConfirm={async () => {
        if (typed.trim() !== name) throw Object.assign(new Error(NOT_TYPED), { code: NOT_TYPED })
        await admin.users.delete(user.id)
      }}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
        router.push('/admin/users')
      }}
    >
      <TextField
        label={t('admin.users.typeName', { name })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        className="mt-4"
      />
    </DeleteButton>
  )
}

const NOT_TYPED = 'NOT_TYPED'
