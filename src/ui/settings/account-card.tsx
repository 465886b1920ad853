'use client'

import { Card } from '../components/card.tsx'
import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteAccount } from './delete-account.tsx'

/** Password and deletion of the account. */
export function AccountCard() {
  const { user } = useSession()
  const { t } = useWords()
  return (
    <Card title={t('account.title')} description={user.email}>
      <ChangePasswordForm />
      <DeleteAccount />
    </Card>
  )
}
