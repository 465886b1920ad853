'use client'

import { lazy, Suspense } from 'react'
import { useSession, useUploads } from './context.tsx'

const SessionDialog = lazy(async () => ({ default: (await import('./session-dialog.tsx')).SessionDialog }))

/** The session ended while the page was open: told by a call that was refused, or by the upload queue. */
export function SessionEnded() {
  const { ended } = useSession()
  const { signedOut } = useUploads()
  return ended || signedOut ? (
    <Suspense>
      <SessionDialog />
    </Suspense>
  ) : null
}
