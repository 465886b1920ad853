import { ActionRow } from '../components/action-row.tsx'
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
    <ActionRow
      title={t('passkeys.password')}
      text={t('passkeys.passwordText')}
      className="border-t border-line"
    >
      <DeleteButton
        variant="secondary"
        label={t('passkeys.removePassword')}
        title={t('passkeys.removePasswordTitle')}
        description={t('passkeys.removePasswordText')}
        confirmLabel={t('passkeys.removePassword')}
        doneText={t('passkeys.passwordRemoved')}
        onConfirm={() => withRecentSignIn(() => client.passkeys.removePassword.mutate())}
        onDeleted={onRemoved}
      />
    </ActionRow>
  )
}
