import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import type { ButtonVariant } from './button-class.ts'
import { focusTargetAfterRemoval } from './focus-after-removal.ts'
import { IconButton } from './icon-button.tsx'

/** 15 KB, loaded when the first dialog opens. */
const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

type DeleteButtonProps = {
  /** Text of the button or, with `iconOnly`, its accessible name. */
  label: string
  /** Accessible name of a button with a label, where several have the same one. */
  accessibleName?: string
  /** Default: that of a destructive action. */
  variant?: ButtonVariant
  /** Further classes of a button with a label. */
  className?: string
  /** Shows a bin instead of the label, for list rows. */
  iconOnly?: boolean
  title: string
  /** Consequence of the deletion, in one sentence. */
  description: ReactNode
  /** Label of the confirm button: a verb, such as "Delete". */
  confirmLabel: string
  /** Label of the button that closes the dialog. Default: "Cancel". */
  cancelLabel?: string
  /** Announced to screen readers afterwards. Default: "Deleted". */
  doneText?: string
  /** Messages for error codes that have a special meaning here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  onConfirm(): Promise<unknown>
  onDeleted?(): void
  tabIndex?: number
  'data-control'?: string
  /** Fields to fill in before confirming. */
  children?: ReactNode
}

/** Deletes something after a confirmation. The dialog stays open until the deletion succeeds, and shows errors. */
export function DeleteButton({
  label,
  accessibleName,
  iconOnly,
  variant = 'danger-outline',
  className,
  onConfirm,
  onDeleted,
  expectedErrors,
  doneText,
  tabIndex,
  'data-control': control,
  ...dialog
}: DeleteButtonProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLElement>(null)
  const focusAfterwards = useRef<HTMLElement>(null)
  const deletion = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      focusAfterwards.current = button.current && focusTargetAfterRemoval(button.current)
      setOpen(false)
      announce(doneText ?? t('common.deleted'))
      onDeleted?.()
    },
  })
  function openDialog(event: MouseEvent<HTMLElement>) {
    button.current = event.currentTarget
    deletion.reset()
    setOpen(true)
  }
  return (
    <>
      {iconOnly ? (
        <IconButton label={label} tabIndex={tabIndex} data-control={control} onClick={openDialog}>
          <Trash2 aria-hidden="true" className="size-4" />
        </IconButton>
      ) : (
        <Button variant={variant} aria-label={accessibleName} className={className} onClick={openDialog}>
          {label}
        </Button>
      )}
      {open && (
        <Suspense>
          <ConfirmDialog
            {...dialog}
            onCancel={() => setOpen(false)}
            onConfirm={() => deletion.mutate()}
            onClosed={() => {
              // The button may have been removed together with its row.
              const target = button.current?.isConnected ? button.current : focusAfterwards.current
              target?.focus({ preventScroll: true })
            }}
            busy={deletion.isPending}
            attempt={deletion.submittedAt}
            error={deletion.isError ? errorText(t, deletion.error, expectedErrors) : undefined}
          />
        </Suspense>
      )}
    </>
  )
}
