import { useState } from 'react'
import { ActionRow } from '../components/action-row.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'

/** Deletes the account, after its password or a recent sign-in. */
export function DeleteAccount({ hasPassword }: { hasPassword: boolean }) {
  const { client, uploader } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const [password, setPassword] = useState('')
  return (
    <ActionRow text={t('account.deleteText')}>
      <DeleteButton
        label={t('account.delete')}
        title={t('account.deleteTitle')}
        description={t('account.deleteWarning')}
        confirmLabel={t('account.delete')}
        expectedErrors={{ FORBIDDEN: 'account.wrongPassword', BAD_REQUEST: 'account.passwordMissing' }}
        onConfirm={async () => {
          await withRecentSignIn(() => client.account.delete.mutate(password === '' ? {} : { password }))
          await uploader.close()
        }}
        onDeleted={() => leavePage('/signin')}
      >
        {hasPassword && (
          <PasswordField
            label={t('account.yourPassword')}
            required={false}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            className="mt-4"
          />
        )}
      </DeleteButton>
    </ActionRow>
  )
}
