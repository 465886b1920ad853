import { useState } from 'react'

/** State of a card that creates a credential: first idle, then with an open form, then with the new secret. */
export function useSecretForm<Created>(refresh: () => unknown) {
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<Created>()
  return {
    isOpen,
    created,
    isIdle: !isOpen && created === undefined,
    open: () => setOpen(true),
    cancel: () => setOpen(false),
    /** Hides the secret after the user has copied it. */
    done: () => setCreated(undefined),
    onCreated(secret: Created) {
      setCreated(secret)
      setOpen(false)
      void refresh()
    },
  }
}
