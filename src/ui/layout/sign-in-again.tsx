'use client'

import { useEffect } from 'react'
import { useSession } from '../context/use-session.ts'

/** In place of a page that needs a session that has ended meanwhile: the dialog asks to sign in, the uploads stay. */
export function SignInAgain() {
  const { setEnded } = useSession()
  useEffect(() => setEnded(true), [setEnded])
  return null
}
