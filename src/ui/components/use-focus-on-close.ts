import { useEffect, useRef } from 'react'

/** Returns the ref of a button that opens a form. It takes the focus when the form closes with the focused element. */
export function useFocusOnClose(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
