'use client'

import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { TRPCClientError } from '@trpc/client'
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { createEngine, type Engine } from './engine.ts'

export type Person = { id: string; email: string; name: string | null }

type Session = { person: Person; ended: boolean; setEnded(ended: boolean): void }

const EngineContext = createContext<Engine | null>(null)
const SessionContext = createContext<Session | null>(null)

type ProviderProps = { person: Person; children: ReactNode }

/** The typed client, the upload queue and the cache of answers, alive as long as the signed-in pages are. */
export function AppProvider({ person, children }: ProviderProps) {
  const [ended, setEnded] = useState(false)
  const [engine] = useState(() => createEngine(person.id))
  const [queries] = useState(() => {
    const onError = (error: unknown) => {
      if (isSignedOut(error)) setEnded(true)
    }
    return new QueryClient({
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
      defaultOptions: {
        queries: { staleTime: 5_000, retry: (failures, error) => failures < 2 && !isRefusal(error) },
      },
    })
  })

  useEffect(() => {
    // Everything below has its listeners by now: the page answers. Browser tests wait for it.
    document.documentElement.dataset.ready = ''
    // next-auth renews the session's cookie when somebody asks for the session.
    fetch('/api/auth/session').catch(() => {})
  }, [])

  return (
    <SessionContext value={{ person, ended, setEnded }}>
      <EngineContext value={engine}>
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </EngineContext>
    </SessionContext>
  )
}

export function useEngine(): Engine {
  const engine = useContext(EngineContext)
  if (!engine) throw new Error('useEngine outside AppProvider')
  return engine
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession outside AppProvider')
  return session
}

/** All uploads together, at most ten times a second. */
export function useUploads(): UploaderSnapshot {
  const { uploader } = useEngine()
  return useSyncExternalStore(uploader.subscribe, uploader.getSnapshot, uploader.getSnapshot)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof TRPCClientError ? (error.data as { code?: string } | undefined)?.code : undefined
}

function isSignedOut(error: unknown): boolean {
  return codeOf(error) === 'UNAUTHORIZED'
}

/** The server said no; asking again would be answered the same. */
function isRefusal(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && code !== 'INTERNAL_SERVER_ERROR'
}

/** Whatever a call failed with, in words for people. */
export function wordsFor(error: unknown): string {
  if (codeOf(error) !== undefined) return (error as Error).message
  return 'The server cannot be reached. Check the connection and try again.'
}
