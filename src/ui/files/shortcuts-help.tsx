import { lazy, Suspense, useEffect, useRef, useState } from 'react'

/** A separate script, loaded with the first "?". */
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./dialogs/shortcuts-dialog.tsx')).ShortcutsDialog,
}))

/** Shows the keyboard shortcuts when "?" is pressed outside a text field and without an open dialog. */
export function ShortcutsHelp() {
  const [open, setOpen] = useState(false)
  const focused = useRef<Element>(null)
  useEffect(() => {
    function onKeyDown({ key, target }: KeyboardEvent) {
      if (key !== '?' || !(target instanceof Element)) return
      if (target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog]'))
        return
      focused.current = document.activeElement
      setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  if (!open) return null
  return (
    <Suspense>
      <ShortcutsDialog
        onClose={() => setOpen(false)}
        onClosed={() =>
          focused.current instanceof HTMLElement && focused.current.focus({ preventScroll: true })
        }
      />
    </Suspense>
  )
}
