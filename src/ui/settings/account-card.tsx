import { Card } from '../components/card.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { type Passkeys, usePasskeys } from './use-passkeys.ts'

/** Deletes the account. */
export function AccountCard({ passkeys }: { passkeys: Passkeys }) {
  const { t } = useMessages()
  const { data } = usePasskeys(passkeys)
  return (
    <Card title={t('account.delete')}>
      <DeleteAccount hasPassword={data.hasPassword} />
    </Card>
  )
}
