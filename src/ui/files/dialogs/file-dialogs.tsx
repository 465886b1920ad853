'use client'

import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useRef,
  useState,
} from 'react'
import type { FileItem } from '../use-file-queries.ts'

// Scripts of their own, loaded when the first one opens.
const PreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog.tsx')).PreviewDialog }))
const ShareDialog = lazy(async () => ({
  default: (await import('../../shares/share-dialog.tsx')).ShareDialog,
}))
const RenameDialog = lazy(async () => ({ default: (await import('./rename-dialog.tsx')).RenameDialog }))

/** What a row can open. To add one: a name here, its dialog below, its item in `file-menu.tsx`. */
export type FileDialogName = 'preview' | 'rename' | 'share'

type Open = (dialog: FileDialogName, file: FileItem) => void

const OpenContext = createContext<Open | null>(null)

type FileDialogsProps = {
  /** In the order of the list: the preview goes from one to the next. */
  files: FileItem[]
  hasMore: boolean
  loadMore(): void
  children: ReactNode
}

/** The dialogs about one file, for the rows of a list. */
export function FileDialogs({ files, hasMore, loadMore, children }: FileDialogsProps) {
  const [shown, setShown] = useState<{ dialog: FileDialogName; file: FileItem }>()
  const opener = useRef<HTMLElement>(null)
  const open = useCallback<Open>((dialog, file) => {
    opener.current = buttonOf(document.activeElement)
    setShown({ dialog, file })
  }, [])
  const onClose = () => setShown(undefined)
  const onClosed = () => opener.current?.focus({ preventScroll: true })
  return (
    <OpenContext value={open}>
      {children}
      <Suspense>
        {shown?.dialog === 'preview' && (
          <PreviewDialog {...{ files, hasMore, loadMore, onClose, onClosed }} first={shown.file} />
        )}
        {shown?.dialog === 'share' && (
          <ShareDialog
            fileId={shown.file.id}
            filename={shown.file.filename}
            onClose={onClose}
            onClosed={onClosed}
          />
        )}
        {shown?.dialog === 'rename' && (
          <RenameDialog file={shown.file} onClose={onClose} onClosed={onClosed} />
        )}
      </Suspense>
    </OpenContext>
  )
}

export function useFileDialogs(): Open {
  const open = useContext(OpenContext)
  if (!open) throw new Error('useFileDialogs needs FileDialogs')
  return open
}

/** What to focus after the dialog: an item of a menu is gone by then, its button is before the menu. */
function buttonOf(focused: Element | null): HTMLElement | null {
  return (focused?.closest('[popover]')?.previousElementSibling ?? focused) as HTMLElement | null
}
