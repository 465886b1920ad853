'use client'

import { createContext, useContext } from 'react'

export type User = {
  id: string
  email: string
  name: string | null
  /** May see the pages for administrators. */
  isAdmin: boolean
  /** The email must be proven, with the mailed link, before this user can upload. */
  mustVerify: boolean
}

type Session = {
  user: User
  /** The server has rejected the session. */
  ended: boolean
  setEnded(ended: boolean): void
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession needs an AppProvider')
  return session
}
