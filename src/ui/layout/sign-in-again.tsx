'use client'

import { useEffect } from 'react'
import { useSession } from '../context/use-session.ts'

/** Replaces a page whose session has ended: opens the sign-in dialog, and keeps the layout with its uploads. */
export function SignInAgain() {
  const { setEnded } = useSession()
  useEffect(() => setEnded(true), [setEnded])
  return null
}
