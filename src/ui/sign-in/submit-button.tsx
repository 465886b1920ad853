'use client'

import { Button } from '../components/button.tsx'
import { useHydrated } from '../components/use-hydrated.ts'

/** A submit button that stays inactive, without looking it, until the page is hydrated. */
export function SubmitButton({ busy, children }: { busy: boolean; children: string }) {
  const hydrated = useHydrated()
  return (
    <Button
      type="submit"
      variant="primary"
      busy={busy}
      disabled={!hydrated}
      className="min-h-11 w-full disabled:opacity-100"
    >
      {children}
    </Button>
  )
}
