'use client'

import { Button } from '../parts/button.tsx'
import { useHydrated } from '../parts/use-hydrated.ts'

/** Sends the form; looks the same, but does nothing, until the page's code runs. */
export function Submit({ busy, children }: { busy: boolean; children: string }) {
  const hydrated = useHydrated()
  return (
    <Button
      type="submit"
      look="primary"
      busy={busy}
      disabled={!hydrated}
      className="min-h-11 w-full disabled:opacity-100"
    >
      {children}
    </Button>
  )
}
