'use client'

import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useTell } from '../../context/announcer.tsx'
import { errorFacts, errorText } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { useChangeInLists, useRefreshFiles } from '../use-file-queries.ts'
import type { DeletionQueue, DeletionResult, DeletionSnapshot } from './deletion-queue.ts'
import { hasDeletionNotes } from './has-deletion-notes.ts'
import { DeletionsContext } from './use-deletions.ts'

// Scripts of their own, which pages load with the first deletion.
const loadBar = () => import('./undo-bar.tsx')
const UndoBar = lazy(async () => ({ default: (await loadBar()).UndoBar }))

const NOTHING: DeletionSnapshot = { hidden: new Set(), waiting: 0, sending: 0 }
const noSubscription = () => () => {}

/** Deletions that can be undone, on all signed-in pages: they go on when the user goes to another one. */
export function DeletionsProvider({ children }: { children: ReactNode }) {
  const { client } = useClients()
  const { user, setEnded } = useSession()
  const { t } = useWords()
  const { notify } = useTell()
  const changeInLists = useChangeInLists()
  const refresh = useRefreshFiles()
  const [queue, setQueue] = useState<DeletionQueue>()
  const started = useRef<DeletionQueue>(undefined)
  const latest = useRef({ onResult, notify, t })
  latest.current = { onResult, notify, t }

  function onResult({ deleted, failed, error }: DeletionResult) {
    const gone = new Set(deleted)
    changeInLists((file) => (gone.has(file.id) ? null : file))
    refresh()
    if (failed.length === 0) return
    if (errorFacts(error).code === 'UNAUTHORIZED') setEnded(true)
    notify(t('files.deleteFailed', { count: failed.length, reason: errorText(t, error) }))
  }

  const start = useCallback(async () => {
    // Nothing disappears before the bar that brings it back is there.
    const [{ startDeletions }] = await Promise.all([import('./start-deletions.ts'), loadBar()])
    started.current ??= startDeletions(client, user.id, (result) => latest.current.onResult(result))
    setQueue(started.current)
    return started.current
  }, [client, user.id])

  const add = useCallback(
    (ids: string[]) => {
      start().then(
        (ready) => ready.add(ids),
        // The script could not be loaded: nothing is deleted.
        () => latest.current.notify(latest.current.t('errors.unreachable')),
      )
    },
    [start],
  )

  useEffect(() => {
    // Offline, the next page finds them.
    if (hasDeletionNotes(user.id)) start().catch(() => {})
  }, [start, user.id])

  const snapshot = useSyncExternalStore(
    queue?.subscribe ?? noSubscription,
    queue?.getSnapshot ?? (() => NOTHING),
    () => NOTHING,
  )
  const deletions = useMemo(() => ({ ...snapshot, add }), [snapshot, add])
  return (
    <DeletionsContext value={deletions}>
      {children}
      {queue && snapshot.hidden.size > 0 && (
        <Suspense>
          <UndoBar queue={queue} waiting={snapshot.waiting} sending={snapshot.sending} />
        </Suspense>
      )}
    </DeletionsContext>
  )
}
