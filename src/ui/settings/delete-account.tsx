import { useState } from 'react'
import { DeleteButton } from '../components/delete-button.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'

export function DeleteAccount() {
  const { client, uploader } = useClients()
  const { t } = useMessages()
  const [password, setPassword] = useState('')
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <p className="max-w-md text-sm text-ink-soft">{t('account.deleteText')}</p>
      <DeleteButton
        label={t('account.delete')}
        title={t('account.deleteTitle')}
        description={t('account.deleteWarning')}
        confirmLabel={t('account.deleteConfirm')}
        expectedErrors={{ FORBIDDEN: 'account.wrongPassword', BAD_REQUEST: 'account.passwordMissing' }}
        onConfirm={async () => {
          await client.account.delete.mutate(password === '' ? {} : { password })
          await uploader.close()
        }}
        onDeleted={() => leavePage('/signin')}
      >
        <PasswordField
          label={t('account.yourPassword')}
          required={false}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint={t('account.currentPasswordHint')}
          className="mt-4"
        />
      </DeleteButton>
    </div>
  )
}
