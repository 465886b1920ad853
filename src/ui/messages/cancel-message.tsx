import type { ButtonVariant } from '../components/button-class.ts'
import { DeleteButton } from '../components/delete-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type CancelMessageProps = {
  title: string
  /** True before the first push, when the message can be canceled as a whole. */
  isScheduled: boolean
  /** Accessible name of the button, where several messages have one. */
  accessibleName?: string
  variant?: ButtonVariant
  className?: string
  cancel(): Promise<unknown>
  onCancelled(): void
}

/** Button that cancels a scheduled message, or stops one that is being sent, after a confirmation. */
export function CancelMessage({ title, isScheduled, cancel, onCancelled, ...button }: CancelMessageProps) {
  const { t } = useMessages()
  return (
    <DeleteButton
      {...button}
      label={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      title={t(isScheduled ? 'sent.cancelTitle' : 'sent.stopTitle')}
      description={t(isScheduled ? 'sent.cancelText' : 'sent.stopText', { title })}
      confirmLabel={t(isScheduled ? 'sent.cancel' : 'sent.stop')}
      cancelLabel={isScheduled ? t('sent.keep') : undefined}
      doneText={t('sent.stopped')}
      expectedErrors={{ CONFLICT: 'sent.stopTooLate' }}
      onConfirm={cancel}
      onDeleted={onCancelled}
    />
  )
}
