import type { ReactNode } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { DeleteButton } from './delete-button.tsx'

export type Revocation = {
  title: string
  /** Consequence of the revocation, in one sentence. */
  description: ReactNode
  onConfirm(): Promise<unknown>
  onDeleted(): void
}

/** Button that revokes a key or token after a confirmation. */
export function RevokeButton({ name, revoke }: { name: string; revoke: Revocation }) {
  const { t } = useMessages()
  return (
    <DeleteButton
      label={t('apiKeys.revoke', { name })}
      rowLabel={t('apiKeys.revokeConfirm')}
      confirmLabel={t('apiKeys.revokeConfirm')}
      doneText={t('apiKeys.revoked')}
      {...revoke}
    />
  )
}
