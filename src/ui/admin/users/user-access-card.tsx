import type { AdminUser } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ActionRow } from '../../components/action-row.tsx'
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
import { ResetPassword } from './reset-password.tsx'
import { useUserChange } from './use-user-change.ts'
import { userName } from './user-name.ts'

type UserAccessCardProps = { user: AdminUser; canMail: boolean }

/** Resets the password of a user, changes the role, disables, enables and deletes. Not for administrators themselves. */
export function UserAccessCard({ user, canMail }: UserAccessCardProps) {
  const { t } = useMessages()
  const isSelf = useSession().user.id === user.id
  return (
    <Card title={t('admin.users.access')}>
      {isSelf ? (
        <p className="px-4 py-4 text-sm text-ink-soft sm:px-5">{t('admin.users.yourself')}</p>
      ) : (
        <div className="divide-y divide-line">
          {user.email !== null && user.externalId === null && <ResetPassword user={user} canMail={canMail} />}
          <ChangeRole user={user} />
          {user.disabled ? <EnableUser user={user} /> : <DisableUser user={user} />}
          <DeleteUser user={user} />
        </div>
      )}
    </Card>
  )
}

function EnableUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const change = useUserChange(user.id, t('admin.users.enabled'))
  return (
    <ActionRow title={t('admin.users.account')} text={t('admin.users.enableText')}>
      <Button busy={change.isPending} onClick={() => change.mutate({ disabled: false })}>
        {t('admin.users.enable')}
      </Button>
      <ErrorNotice error={change.error} className="w-full" />
    </ActionRow>
  )
}

function DisableUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const change = useUserChange(user.id, t('admin.users.disabled'))
  return (
    <ActionRow title={t('admin.users.account')} text={t('admin.users.disableText')}>
      <DeleteButton
        label={t('admin.users.disable')}
        title={t('admin.users.disableTitle')}
        description={t('admin.users.disableWarning')}
        confirmLabel={t('admin.users.disable')}
        doneText={t('admin.users.disabled')}
        onConfirm={() => change.mutateAsync({ disabled: true })}
      />
    </ActionRow>
  )
}

function DeleteUser({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const router = useRouter()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = userName(user)
  return (
    <ActionRow title={t('admin.users.deletion')} text={t('admin.users.deleteText')}>
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
    </ActionRow>
  )
}

const NOT_TYPED = 'NOT_TYPED'
