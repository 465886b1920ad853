import { createContext, useContext } from 'react'
import type { Clients } from './create-clients.ts'

export const ClientsContext = createContext<Clients | null>(null)

/** Returns the API client, the upload queue, and this browser as a push device. */
export function useClients(): Clients {
  const clients = useContext(ClientsContext)
  if (!clients) throw new Error('useClients needs an AppProvider')
  return clients
}
