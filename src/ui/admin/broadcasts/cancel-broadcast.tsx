import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { DeleteButton } from '../../components/delete-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { isUnfinished } from './broadcast-status.ts'

type CancelBroadcastProps = { broadcast: AdminBroadcast; onCancelled(): void }

/** Button that cancels a broadcast after a confirmation. Renders nothing once the broadcast has ended. */
export function CancelBroadcast({ broadcast: { id, status, title }, onCancelled }: CancelBroadcastProps) {
  const { t } = useMessages()
  if (!isUnfinished(status)) return null
  const message = title ?? t('admin.broadcasts.silent')
  return (
    <DeleteButton
      label={t('admin.broadcasts.cancel')}
      accessibleName={t('admin.broadcasts.cancelOne', { title: message })}
      title={t('admin.broadcasts.cancelTitle')}
      description={t.rich('admin.broadcasts.cancelText', {
        message,
        name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
      })}
      confirmLabel={t('admin.broadcasts.cancelConfirm')}
      cancelLabel={t('admin.broadcasts.keep')}
      doneText={t('admin.broadcasts.cancelled')}
      expectedErrors={{ CONFLICT: 'admin.broadcasts.tooLate' }}
      onConfirm={() => admin.broadcasts.cancel(id)}
      onDeleted={onCancelled}
    />
  )
}
