import { Card } from '../components/card.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { RemovePassword } from './remove-password.tsx'
import { type Passkeys, usePasskeys } from './use-passkeys.ts'

/** Sets, changes or removes the password. */
export function PasswordCard({ passkeys }: { passkeys: Passkeys }) {
  const { t } = useMessages()
  const { data, refresh } = usePasskeys(passkeys)
  const { hasPassword } = data
  return (
    <Card
      title={t('common.password')}
      description={t(hasPassword ? 'account.passwordText' : 'account.noPassword')}
    >
      <ChangePasswordForm hasPassword={hasPassword} onChanged={refresh} />
      {hasPassword && data.items.length > 0 && <RemovePassword onRemoved={refresh} />}
    </Card>
  )
}
