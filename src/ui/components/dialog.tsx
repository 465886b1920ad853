import * as AlertDialog from '@radix-ui/react-alert-dialog'
import type { ReactNode } from 'react'
import { Breakable } from './breakable.tsx'

type DialogProps = Omit<AlertDialog.AlertDialogContentProps, 'title'> & {
  title: ReactNode
  description: ReactNode
  /** Called when Escape or Cancel closes the dialog. */
  onClose?(): void
}

/** Texts can contain long emails. */
const breakable = (text: ReactNode) => (typeof text === 'string' ? <Breakable>{text}</Breakable> : text)

/** A modal dialog. It is open while it is rendered. */
export function Dialog({ title, description, onClose, children, ...content }: DialogProps) {
  return (
    <AlertDialog.Root open onOpenChange={onClose}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <AlertDialog.Content
          className="fixed top-1/2 left-1/2 z-50 max-h-[85dvh] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-6 shadow-card"
          {...content}
        >
          <AlertDialog.Title className="text-lg font-semibold">{breakable(title)}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-ink-soft">
            {breakable(description)}
          </AlertDialog.Description>
          {children}
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
