import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import type { FormEvent, ReactNode } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import type { ButtonVariant } from './button-class.ts'
import { Dialog, DialogButtons } from './dialog.tsx'
import { ErrorIcon } from './field-note.tsx'

type ConfirmDialogProps = {
  title: ReactNode
  description: ReactNode
  /** Label of the confirm button: a verb, such as "Delete". */
  confirmLabel: string
  /** Look of the confirm button. Default: `danger`. */
  confirmVariant?: ButtonVariant
  /** Label of the button that changes nothing. Default: "Cancel". */
  cancelLabel?: string
  onConfirm(): void
  onCancel(): void
  /** Called after the dialog has closed, to restore the focus. */
  onClosed(): void
  busy: boolean
  /** Prevents the confirmation until the fields in `children` are filled in. */
  disabled?: boolean
  error?: string
  /** Number that changes with every failure, so that a repeated error is announced again. */
  attempt?: number
  /** Fields to fill in before confirming. */
  children?: ReactNode
}

/** Asks before an action that cannot be undone. Stays open while the action runs and if it fails. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useMessages()
  const { title, description, confirmLabel, confirmVariant = 'danger', cancelLabel, children } = props
  const { onConfirm, onCancel, onClosed, busy, disabled, error, attempt } = props
  function submit(event: FormEvent) {
    event.preventDefault()
    // React's events bubble from a dialog to the form that opened it.
    event.stopPropagation()
    if (!busy) onConfirm()
  }
  return (
    <Dialog
      title={title}
      description={description}
      onClose={() => !busy && onCancel()}
      onCloseAutoFocus={onClosed}
    >
      <form onSubmit={submit} method="post" className="contents">
        {children}
        {error && (
          <p key={attempt} role="alert" className="mt-3 flex gap-1.5 text-sm text-danger">
            <ErrorIcon />
            {error}
          </p>
        )}
        <DialogButtons>
          <AlertDialogCancel asChild>
            <Button>{cancelLabel ?? t('common.cancel')}</Button>
          </AlertDialogCancel>
          <Button type="submit" variant={confirmVariant} busy={busy} disabled={disabled}>
            {confirmLabel}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
