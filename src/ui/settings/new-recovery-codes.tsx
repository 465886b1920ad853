import { Button } from '../components/button.tsx'
import { NewSecretSection } from '../components/new-secret.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { RecoveryCodes } from '../passkeys/recovery-codes.tsx'

/** New recovery codes, with a button that hides them. */
export function NewRecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { t } = useMessages()
  return (
    <NewSecretSection title={t('passkeys.codesTitle')}>
      <RecoveryCodes codes={codes}>
        <Button onClick={onDone}>{t('common.done')}</Button>
      </RecoveryCodes>
    </NewSecretSection>
  )
}
