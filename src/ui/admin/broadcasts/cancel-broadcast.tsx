import type { AdminBroadcast } from '@pigeonhole/client/admin'
import type { ButtonVariant } from '../../components/button-class.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CancelMessage } from '../../messages/cancel-message.tsx'
import { admin } from '../admin-client.ts'

type CancelBroadcastProps = { broadcast: AdminBroadcast; variant?: ButtonVariant; onCancelled(): void }

/** Button that cancels a scheduled broadcast or stops a running one after a confirmation. */
export function CancelBroadcast({ broadcast, variant, onCancelled }: CancelBroadcastProps) {
  const { t } = useMessages()
  const { id, status } = broadcast
  const title = broadcast.title ?? t('admin.broadcasts.silent')
  return (
    <CancelMessage
      title={title}
      status={status}
      variant={variant}
      accessibleName={t(status === 'scheduled' ? 'admin.broadcasts.cancelOne' : 'admin.broadcasts.stopOne', {
        title,
      })}
      cancel={() => admin.broadcasts.cancel(id)}
      onCancelled={onCancelled}
    />
  )
}
