import { createContext, useContext } from 'react'

export type User = {
  id: string
  email: string
  name: string | null
  /** Can open the administrators' pages. */
  isAdmin: boolean
  /** Must verify the email with the emailed link before uploading. */
  mustVerify: boolean
  /** People can create accounts themselves. */
  canSignUp: boolean
}

type Session = {
  user: User
  /** True once the server has rejected the session. */
  ended: boolean
  setEnded(ended: boolean): void
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession needs an AppProvider')
  return session
}
