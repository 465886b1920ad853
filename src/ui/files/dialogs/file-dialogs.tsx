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

// Separate scripts, each loaded when its dialog first opens.
const PreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog.tsx')).PreviewDialog }))
const ShareDialog = lazy(async () => ({
  default: (await import('../../shares/share-dialog.tsx')).ShareDialog,
}))
const RenameDialog = lazy(async () => ({ default: (await import('./rename-dialog.tsx')).RenameDialog }))
const DetailsDialog = lazy(async () => ({ default: (await import('./details-dialog.tsx')).DetailsDialog }))
const VisibilityDialog = lazy(async () => ({
  default: (await import('./visibility-dialog.tsx')).VisibilityDialog,
}))

/** Dialogs that a row can open. To add one, add its name here, its dialog below and its item in `file-menu.tsx`. */
type FileDialogName = 'details' | 'preview' | 'rename' | 'share' | 'visibility'

type Open = (dialog: FileDialogName, file: FileItem) => void

const OpenContext = createContext<Open | null>(null)

type FileDialogsProps = {
  /** Files in the list's order, through which the preview steps. */
  files: FileItem[]
  hasMore: boolean
  loadMore(): void
  children: ReactNode
}

/** Provides a list's rows with the dialogs for one file. */
export function FileDialogs({ files, hasMore, loadMore, children }: FileDialogsProps) {
  const [shown, setShown] = useState<{ dialog: FileDialogName; file: FileItem }>()
  const opener = useRef<() => HTMLElement | null>(() => null)
  const open = useCallback<Open>((dialog, file) => {
    opener.current = controlOf(file, document.activeElement)
    setShown({ dialog, file })
  }, [])
  const onClose = () => setShown(undefined)
  const onClosed = () => opener.current()?.focus({ preventScroll: true })
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
        {shown?.dialog === 'details' && (
          <DetailsDialog file={shown.file} onClose={onClose} onClosed={onClosed} />
        )}
        {shown?.dialog === 'visibility' && (
          <VisibilityDialog file={shown.file} onClose={onClose} onClosed={onClosed} />
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

/**
 * Returns how to find the element to focus after the dialog. A menu's items no longer exist then, so it is the menu's button.
 * Virtual rows may have replaced the row meanwhile.
 */
function controlOf({ id }: FileItem, focused: Element | null): () => HTMLElement | null {
  const control = (focused?.closest('[popover]')?.previousElementSibling ?? focused) as HTMLElement | null
  const name = control?.dataset.control
  return () =>
    control?.isConnected ? control : document.querySelector(`[data-file="${id}"] [data-control="${name}"]`)
}
