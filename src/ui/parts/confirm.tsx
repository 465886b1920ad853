'use client'

import * as Dialog from '@radix-ui/react-alert-dialog'
import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { dialogClass } from './dialog-class.ts'

type ConfirmProps = {
  title: string
  text: ReactNode
  /** The verb of what will happen, like "Delete". */
  action: string
  onConfirm(): void
  onCancel(): void
  /** The dialog is gone, and the focus with it. */
  onClosed(): void
  busy: boolean
  error?: string
  /** What has to be filled in. */
  children?: ReactNode
}

/** Asks before something that cannot be undone. Stays open while it happens, and when it fails. */
export function Confirm({
  title,
  text,
  action,
  onConfirm,
  onCancel,
  onClosed,
  busy,
  error,
  children,
}: ConfirmProps) {
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) onConfirm()
  }
  return (
    <Dialog.Root open onOpenChange={() => !busy && onCancel()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content className={dialogClass} onCloseAutoFocus={onClosed}>
          <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
          <Dialog.Description className="mt-2 text-sm text-ink-soft">{text}</Dialog.Description>
          <form onSubmit={submit} method="post">
            {children}
            {error && (
              <p role="alert" className="mt-3 text-sm text-danger">
                {error}
              </p>
            )}
            <div className="mt-6 flex flex-wrap justify-end gap-2">
              <Dialog.Cancel asChild>
                <Button>Cancel</Button>
              </Dialog.Cancel>
              <Button type="submit" look="danger" busy={busy}>
                {action}
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
