import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import type { ButtonVariant } from './button-class.ts'
import { focusTargetAfterRemoval, lastButton, lastOtherControl } from './focus-after-removal.ts'
import { IconButton } from './icon-button.tsx'

/** 15 KB, loaded when the first dialog opens. */
const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

type Deletion = {
  title: ReactNode
  /** Consequence of the deletion, in one sentence. */
  description: ReactNode
  /** Label of the confirm button: a verb, such as "Delete". */
  confirmLabel: string
  /** Default: `danger`. */
  confirmVariant?: ButtonVariant
  /** Label of the button that closes the dialog. Default: "Cancel". */
  cancelLabel?: string
  /** Announced to screen readers afterwards. Default: "Deleted". */
  doneText?: string
  /** True if only the button disappears afterwards: the focus stays in the list item, on another control. */
  keepsItem?: boolean
  /** Messages for error codes that have a special meaning here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  onConfirm(): Promise<unknown>
  onDeleted?(): void
  /** Fields to fill in before confirming. */
  children?: ReactNode
  /** Prevents the confirmation until the fields are filled in. */
  disabled?: boolean
}

type DeleteButtonProps = Deletion & {
  /** Text of the button or, with `iconOnly`, its accessible name. */
  label: string
  /** Accessible name of a button with a label, where several have the same one. */
  accessibleName?: string
  /** Default: that of a destructive action. */
  variant?: ButtonVariant
  /** Further classes of a button without `rowLabel`. */
  className?: string
  /** Short text of the button, part of its accessible name `label`, for list rows. */
  rowLabel?: string
  /** Shows an icon instead of the label, for list rows. */
  iconOnly?: boolean
  /** With `iconOnly`. */
  tabIndex?: number
  /** With `iconOnly`. */
  'data-control'?: string
  /** Called when the dialog opens and closes. */
  onOpenChange?(open: boolean): void
  /** Hides the button. A dialog that is open stays, because it says why the action is no longer possible. */
  unavailable?: boolean
}

/** Button that deletes something after a confirmation. */
export function DeleteButton({
  label,
  accessibleName,
  rowLabel,
  iconOnly,
  variant = 'danger-outline',
  className,
  tabIndex,
  'data-control': control,
  onOpenChange,
  unavailable,
  ...deletion
}: DeleteButtonProps) {
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const setOpen = (element: HTMLElement | null) => {
    setOpener(element)
    onOpenChange?.(element !== null)
  }
  const open = ({ currentTarget }: MouseEvent<HTMLElement>) => setOpen(currentTarget)
  return (
    <>
      {unavailable ? null : iconOnly ? (
        <IconButton
          label={label}
          tabIndex={tabIndex}
          data-control={control}
          className={className}
          onClick={open}
        >
          <Trash2 aria-hidden="true" className="size-4" />
        </IconButton>
      ) : rowLabel ? (
        <Button aria-label={label} title={label} className="max-sm:px-3" onClick={open}>
          {rowLabel}
        </Button>
      ) : (
        <Button variant={variant} aria-label={accessibleName} className={className} onClick={open}>
          {label}
        </Button>
      )}
      {opener && <DeleteDialog {...deletion} opener={opener} onClose={() => setOpen(null)} />}
    </>
  )
}

type DeleteDialogProps = Deletion & {
  /** Gets the focus when the dialog closes, unless it was removed. */
  opener: HTMLElement | null
  onClose(): void
}

/** Confirmation of a deletion. Stays open until the deletion succeeds, and shows errors. */
export function DeleteDialog({
  opener,
  onClose,
  onConfirm,
  onDeleted,
  expectedErrors,
  doneText,
  keepsItem = false,
  ...dialog
}: DeleteDialogProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const focusAfterwards = useRef<HTMLElement>(null)
  // Found now, because the button can be removed while the dialog is open.
  const [item] = useState(() => opener?.closest('li'))
  const deletion = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      if (item)
        focusAfterwards.current = keepsItem ? lastOtherControl(item, opener) : focusTargetAfterRemoval(item)
      onClose()
      announce(doneText ?? t('common.deleted'))
      onDeleted?.()
    },
  })
  return (
    <Suspense>
      <ConfirmDialog
        {...dialog}
        onCancel={onClose}
        onConfirm={() => deletion.mutate()}
        onClosed={() => {
          // The button may have been removed, alone or together with its row. Outside lists, the page moves the focus.
          const next = focusAfterwards.current
          const stays = opener?.isConnected && !(keepsItem && next)
          const target = stays ? opener : next?.isConnected ? next : item && lastButton(item)
          target?.focus({ preventScroll: true })
        }}
        busy={deletion.isPending}
        attempt={deletion.submittedAt}
        error={deletion.isError ? errorText(t, deletion.error, expectedErrors) : undefined}
      />
    </Suspense>
  )
}
