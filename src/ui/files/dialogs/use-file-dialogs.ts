import { createContext, useContext } from 'react'
import type { FileItem } from '../use-file-queries.ts'

/** Dialogs that a row can open. To add one, also change `file-dialogs.tsx` and `file-menu.tsx`. */
export type FileDialogName = 'details' | 'preview' | 'rename' | 'share' | 'visibility'

/** Opens a dialog for a file. */
export type OpenFileDialog = (dialog: FileDialogName, file: FileItem) => void

export const FileDialogsContext = createContext<OpenFileDialog | null>(null)

/** Returns the function that opens a dialog for a file of the list. */
export function useFileDialogs(): OpenFileDialog {
  const open = useContext(FileDialogsContext)
  if (!open) throw new Error('useFileDialogs needs FileDialogs')
  return open
}
