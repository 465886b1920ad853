import { lazy } from 'react'

/** A separate script, loaded when the dialog opens. */
export const LazyShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}))
