import { Card } from '../components/card.tsx'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteAccount } from './delete-account.tsx'

/** Changes the password and deletes the account. */
export function AccountCard() {
  const { user } = useSession()
  const { t } = useMessages()
  return (
    <Card title={t('account.title')} description={user.email}>
      <ChangePasswordForm />
      <DeleteAccount />
    </Card>
  )
}
