import type { PushMessageStatus } from '@pigeonhole/client/push'
import { useState } from 'react'
import type { ButtonVariant } from '../components/button-class.ts'
import { DeleteButton } from '../components/delete-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { canCancel } from './delivery-summary.ts'

type CancelMessageProps = {
  title: string
  status: PushMessageStatus['status']
  /** Accessible name of the button, where several messages have one. */
  accessibleName?: string
  variant?: ButtonVariant
  className?: string
  cancel(): Promise<unknown>
  onCancelled(): void
  /** Called when the confirmation opens and closes. */
  onOpenChange?(open: boolean): void
}

/**
 * Button that cancels a scheduled message, or stops one that is being sent, after a confirmation. The
 * button disappears with the last push; an open dialog stays.
 */
export function CancelMessage({ title, status, cancel, onCancelled, ...button }: CancelMessageProps) {
  const { t } = useMessages()
  // Before the first push, the message can be canceled as a whole. A dialog keeps its text after the cancellation.
  const [isScheduled, setScheduled] = useState(status === 'scheduled')
  if (canCancel(status) && isScheduled !== (status === 'scheduled')) setScheduled(!isScheduled)
  return (
    <DeleteButton
      {...button}
      unavailable={!canCancel(status)}
      label={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      title={t(isScheduled ? 'sent.cancelTitle' : 'sent.stopTitle')}
      description={t.rich(isScheduled ? 'sent.cancelText' : 'sent.stopText', {
        title,
        name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
      })}
      confirmLabel={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      cancelLabel={isScheduled ? t('sent.keep') : undefined}
      keepsItem
      doneText={t(isScheduled ? 'sent.canceled' : 'sent.stopped')}
      expectedErrors={{ CONFLICT: 'sent.stopTooLate', TOKEN_ENDED: 'sent.tokenEnded' }}
      onConfirm={cancel}
      onDeleted={onCancelled}
    />
  )
}
