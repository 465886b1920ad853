import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { DeleteButton } from '../../components/delete-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
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
    <DeleteButton
      label={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      accessibleName={t(isScheduled ? 'admin.broadcasts.cancelOne' : 'admin.broadcasts.stopOne', { title })}
      title={t(isScheduled ? 'sent.cancelTitle' : 'sent.stopTitle')}
      description={t(isScheduled ? 'sent.cancelText' : 'sent.stopText', { title })}
      confirmLabel={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      cancelLabel={isScheduled ? t('sent.keep') : undefined}
      doneText={t('sent.stopped')}
      expectedErrors={{ CONFLICT: 'sent.stopTooLate' }}
      onConfirm={() => admin.broadcasts.cancel(id)}
      onDeleted={onCancelled}
    />
  )
}
