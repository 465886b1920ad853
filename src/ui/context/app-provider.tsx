'use client'

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { sessionUserId } from '../sign-in/auth-api.ts'
import { Announcer } from './announcer.tsx'
import { createClients } from './create-clients.ts'
import { errorFacts, isSessionEnded } from './error-text.ts'
import { ClientsContext } from './use-clients.ts'
import { SessionContext, type User } from './use-session.ts'

/** A failed query is retried twice, unless the server rejected it. */
const MAX_RETRIES = 2

type AppProviderProps = { user: User; children: ReactNode }

/** The API client, the upload queue and the query cache. They outlive navigation between the signed-in pages. */
export function AppProvider({ user, children }: AppProviderProps) {
  const [ended, setEnded] = useState(false)
  const [clients] = useState(() => createClients(user.id))
  const [queries] = useState(() => {
    const onError = (error: unknown) => {
      if (isSessionEnded(error)) setEnded(true)
    }
    return new QueryClient({
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
      defaultOptions: {
        queries: {
          staleTime: 5_000,
          retry: (failures, error) => failures < MAX_RETRIES && !isClientError(error),
        },
      },
    })
  })

  useEffect(() => {
    // The effects of all children have run, so the page reacts to events. Browser tests wait for this.
    document.documentElement.dataset.ready = ''
    // next-auth renews the session cookie whenever the session is requested.
    void sessionUserId()
  }, [])

  return (
    <SessionContext value={{ user, ended, setEnded }}>
      <ClientsContext value={clients}>
        <QueryClientProvider client={queries}>
          <Announcer>{children}</Announcer>
        </QueryClientProvider>
      </ClientsContext>
    </SessionContext>
  )
}

/** The server rejected the call; a retry would be rejected as well. */
function isClientError(error: unknown): boolean {
  const { code } = errorFacts(error)
  return code !== undefined && code !== 'INTERNAL_SERVER_ERROR'
}
