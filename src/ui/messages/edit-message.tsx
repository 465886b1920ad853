import type { PushMessageStatus } from '@pigeonhole/client/push'
import type { ButtonVariant } from '../components/button-class.ts'
import { DeleteButton } from '../components/delete-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type EditMessageProps = {
  title: string
  status: PushMessageStatus['status']
  /** Says what will open, and what the user has to do then. */
  text: 'sent.editText' | 'sent.editUsersText' | 'compose.editText'
  variant?: ButtonVariant
  className?: string
  /**
   * Cancels the message. @throws Error with the code CONFLICT (sending has begun), HAS_BEGUN (it had begun, and the rest is
   * canceled), SEVERAL_APPS or TOKEN_ENDED
   */
  cancel(): Promise<unknown>
  /** Opens the form with the message. */
  onCancelled(): void
  /** Called when the confirmation opens and closes. */
  onOpenChange?(open: boolean): void
}

/** Button that cancels a scheduled message and opens it in the form, after a confirmation. */
export function EditMessage({ title, status, text, cancel, onCancelled, ...button }: EditMessageProps) {
  const { t } = useMessages()
  return (
    <DeleteButton
      {...button}
      unavailable={status !== 'scheduled'}
      label={t('sent.edit')}
      title={t('sent.editTitle')}
      description={t.rich(text, {
        title,
        name: (name) => <bdi className="font-medium text-ink">{name}</bdi>,
      })}
      confirmLabel={t('sent.editConfirm')}
      confirmVariant="primary"
      cancelLabel={t('sent.keep')}
      doneText={t('sent.reused', { title })}
      expectedErrors={{
        CONFLICT: 'sent.editTooLate',
        HAS_BEGUN: 'sent.editHasBegun',
        SEVERAL_APPS: 'sent.editSeveralApps',
        TOKEN_ENDED: 'sent.tokenEnded',
      }}
      onConfirm={cancel}
      onDeleted={onCancelled}
    />
  )
}
