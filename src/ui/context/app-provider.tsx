import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { AdminMessagesProvider } from '../i18n/messages-provider.tsx'
import { sessionUserId } from '../sign-in/auth-api.ts'
import { AnnouncerProvider } from './announcer.tsx'
import { createClients } from './create-clients.ts'
import { errorDetails, isSessionEnded } from './error-text.ts'
import { RecentSignInProvider } from './recent-sign-in.tsx'
import { createSignInGate } from './sign-in-gate.ts'
import { ClientsContext } from './use-clients.ts'
import { SessionContext, type User } from './use-session.ts'

/** Retries of a failed query. Calls that the server rejected are not retried. */
const MAX_RETRIES = 2
/** The first of these events loads the upload engine. Most visitors of a page only look at it. */
const FIRST_INPUTS = ['pointerdown', 'keydown', 'dragenter']

type AppProviderProps = { user: User; children: ReactNode }

/** Provides the API client, the upload queue and the query cache. They survive navigation between signed-in pages. */
export function AppProvider({ user, children }: AppProviderProps) {
  const [ended, setEnded] = useState(false)
  const [gate] = useState(() => createSignInGate(() => setEnded(true)))
  const [clients] = useState(() => createClients(user.id, gate.fetch))
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
    // Otherwise, users who go offline later could not add uploads.
    const preload = () => {
      stop()
      clients.uploader.preload()
    }
    const stop = () => {
      for (const type of FIRST_INPUTS) removeEventListener(type, preload)
    }
    for (const type of FIRST_INPUTS) addEventListener(type, preload)
    return stop
  }, [clients])

  useEffect(() => {
    if (!ended) gate.open()
  }, [ended, gate])

  useEffect(() => {
    // The children's effects have run, so the page reacts to events. Browser tests wait for this attribute.
    document.documentElement.dataset.ready = ''
    // next-auth renews the session cookie whenever the session is requested.
    void sessionUserId()
  }, [])

  const Messages = user.isAdmin ? AdminMessagesProvider : Fragment
  return (
    <SessionContext value={{ user, ended, setEnded }}>
      <Messages>
        <ClientsContext value={clients}>
          <QueryClientProvider client={queries}>
            <AnnouncerProvider>
              <RecentSignInProvider>{children}</RecentSignInProvider>
            </AnnouncerProvider>
          </QueryClientProvider>
        </ClientsContext>
      </Messages>
    </SessionContext>
  )
}

/** Returns true if the server rejected the call: it would reject a retry as well. */
function isClientError(error: unknown): boolean {
  const { code } = errorDetails(error)
  return code !== undefined && code !== 'INTERNAL_SERVER_ERROR'
}
