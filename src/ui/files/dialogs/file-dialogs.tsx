import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react'
import type { FileItem } from '../use-file-queries.ts'
import { type FileDialogName, FileDialogsContext, type OpenFileDialog } from './use-file-dialogs.ts'

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

type FileDialogsProps = {
  /** Files in the list's order. The preview's arrows step through them. */
  files: FileItem[]
  hasMore: boolean
  loadMore(): void
  children: ReactNode
}

/** Provides a list's rows with the dialogs for one file. */
export function FileDialogs({ files, hasMore, loadMore, children }: FileDialogsProps) {
  /** The file whose preview is open. Other dialogs can open over it. */
  const [previewed, setPreviewed] = useState<FileItem>()
  const [shown, setShown] = useState<{ dialog: FileDialogName; file: FileItem }>()
  const previewOpener = useRef<() => HTMLElement | null>(() => null)
  const opener = useRef<() => HTMLElement | null>(() => null)
  const open = useCallback<OpenFileDialog>((dialog, file) => {
    const control = controlOf(file, document.activeElement)
    if (dialog === 'preview') {
      previewOpener.current = control
      setPreviewed(file)
    } else {
      opener.current = control
      setShown({ dialog, file })
    }
  }, [])
  const onClose = () => setShown(undefined)
  const onClosed = () => opener.current()?.focus({ preventScroll: true })
  return (
    <FileDialogsContext value={open}>
      {children}
      <Suspense>
        {previewed && (
          <PreviewDialog
            {...{ files, hasMore, loadMore }}
            first={previewed}
            closeOther={shown && onClose}
            onClose={() => setPreviewed(undefined)}
            onClosed={() => previewOpener.current()?.focus({ preventScroll: true })}
          />
        )}
      </Suspense>
      <Suspense>
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
    </FileDialogsContext>
  )
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
