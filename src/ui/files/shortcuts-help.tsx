import { Suspense, useEffect, useRef, useState } from 'react'
import { LazyShortcutsDialog } from './dialogs/lazy-shortcuts-dialog.ts'

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
      <LazyShortcutsDialog
        onClose={() => setOpen(false)}
        onClosed={() =>
          focused.current instanceof HTMLElement && focused.current.focus({ preventScroll: true })
        }
      />
    </Suspense>
  )
}
