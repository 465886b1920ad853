'use client'

import * as Dialog from '@radix-ui/react-alert-dialog'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { dialogClass } from './dialog-class.ts'

type ConfirmProps = {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  children: ReactNode
  /** The verb of what will happen, like "Delete". */
  action: string
  onConfirm(): void
  busy?: boolean
  error?: string
}

/** Asks before something that cannot be undone. Stays open while it happens, and when it fails. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  onConfirm,
  busy,
  error,
}: ConfirmProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !busy && onOpenChange(next)}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content className={dialogClass}>
          <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
          <Dialog.Description asChild>
            <div className="mt-2 text-sm text-ink-soft">{children}</div>
          </Dialog.Description>
          {error && (
            <p role="alert" className="mt-3 text-sm text-danger">
              {error}
            </p>
          )}
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <Dialog.Cancel asChild>
              <Button>Cancel</Button>
            </Dialog.Cancel>
            <Button look="danger" busy={busy} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
