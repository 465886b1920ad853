import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CancelMessage } from '../../messages/cancel-message.tsx'
import { admin } from '../admin-client.ts'
import { isUnfinished } from './broadcast-status.ts'

type CancelBroadcastProps = { broadcast: AdminBroadcast; onCancelled(): void }

/** Button that cancels a scheduled broadcast or stops a running one after a confirmation. Renders nothing once it has ended. */
export function CancelBroadcast({ broadcast, onCancelled }: CancelBroadcastProps) {
  const { t } = useMessages()
  const { id, status } = broadcast
  if (!isUnfinished(status)) return null
  const title = broadcast.title ?? t('admin.broadcasts.silent')
  const isScheduled = status === 'scheduled'
  return (
    <CancelMessage
      title={title}
      isScheduled={isScheduled}
      accessibleName={t(isScheduled ? 'admin.broadcasts.cancelOne' : 'admin.broadcasts.stopOne', { title })}
      cancel={() => admin.broadcasts.cancel(id)}
      onCancelled={onCancelled}
    />
  )
}
