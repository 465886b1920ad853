import { createContext, useContext } from 'react'
import type { Clients } from './create-clients.ts'

export const ClientsContext = createContext<Clients | null>(null)

/** Returns the API client, and the upload queue with its store. */
export function useClients(): Clients {
  const clients = useContext(ClientsContext)
  if (!clients) throw new Error('useClients needs an AppProvider')
  return clients
}
