'use client'

import { lazy, Suspense } from 'react'
import { useSession } from '../context/use-session.ts'
import { useUploads } from '../context/use-uploads.ts'
import { useOfflineDialogs } from './use-offline-dialogs.ts'

const SessionEndedDialog = lazy(async () => ({
  default: (await import('./session-ended-dialog.tsx')).SessionEndedDialog,
}))

/** Asks the user to sign in again once an API call or the upload queue finds that the session has ended. */
export function SessionEnded() {
  const { ended } = useSession()
  const { signedOut, uploads } = useUploads()
  useOfflineDialogs(uploads.length > 0)
  return ended || signedOut ? (
    <Suspense>
      <SessionEndedDialog />
    </Suspense>
  ) : null
}
