'use client'

import { useState } from 'react'

/** A card in which something is made whose secret is shown once: nothing of it, then its form, then the secret. */
export function useSecretForm<Made>(refresh: () => unknown) {
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<Made>()
  return {
    isOpen,
    made,
    isIdle: !isOpen && made === undefined,
    open: () => setOpen(true),
    cancel: () => setOpen(false),
    /** The secret was kept by the reader. */
    done: () => setMade(undefined),
    onCreated(secret: Made) {
      setMade(secret)
      setOpen(false)
      void refresh()
    },
  }
}
