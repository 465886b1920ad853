import { DeleteButton } from '../components/delete-button.tsx'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Removes the password of a user who has a passkey. */
export function RemovePassword({ onRemoved }: { onRemoved(): void }) {
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">{t('passkeys.password')}</p>
        <p className="text-sm text-ink-soft">{t('passkeys.passwordText')}</p>
      </div>
      <DeleteButton
        label={t('passkeys.removePassword')}
        title={t('passkeys.removePasswordTitle')}
        description={t('passkeys.removePasswordText')}
        confirmLabel={t('passkeys.removePassword')}
        doneText={t('passkeys.passwordRemoved')}
        onConfirm={() => withRecentSignIn(() => client.passkeys.removePassword.mutate())}
        onDeleted={onRemoved}
      />
    </div>
  )
}
