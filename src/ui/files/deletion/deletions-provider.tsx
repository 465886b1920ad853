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
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useChangeInLists, useNameInLists, useRefreshFiles } from '../use-file-queries.ts'
import type { DeletionQueue, DeletionResult, DeletionSnapshot } from './deletion-queue.ts'
import { hasPendingDeletions } from './has-pending-deletions.ts'
import { DeletionsContext } from './use-deletions.ts'

// Separate scripts, loaded with the first deletion.
const loadBar = () => import('./undo-bar.tsx')
const UndoBar = lazy(async () => ({ default: (await loadBar()).UndoBar }))

const NOTHING: DeletionSnapshot = { hidden: new Set(), waiting: 0, sending: 0 }
const noSubscription = () => () => {}

/** Provides deletions that can be undone to all signed-in pages. They survive navigation between them. */
export function DeletionsProvider({ children }: { children: ReactNode }) {
  const { client } = useClients()
  const { user } = useSession()
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const changeInLists = useChangeInLists()
  const refresh = useRefreshFiles()
  const [queue, setQueue] = useState<DeletionQueue>()
  const started = useRef<DeletionQueue>(undefined)
  const latest = useRef({ onResult, notify, t })
  latest.current = { onResult, notify, t }

  function onResult({ deleted, failed, error }: DeletionResult) {
    const deletedIds = new Set(deleted)
    changeInLists((file) => (deletedIds.has(file.id) ? null : file))
    refresh()
    if (failed.length === 0) return
    notify(t('files.deleteFailed', { count: failed.length, reason: errorText(t, error) }))
  }

  const start = useCallback(async () => {
    // Load the bar first, so that no file disappears without Undo.
    const [{ startDeletions }] = await Promise.all([import('./start-deletions.ts'), loadBar()])
    started.current ??= startDeletions(client, user.id, (result) => latest.current.onResult(result))
    setQueue(started.current)
    return started.current
  }, [client, user.id])

  const add = useCallback(
    (ids: string[]) => {
      start().then(
        (ready) => ready.add(ids),
        // The script could not be loaded, so nothing is deleted.
        () => latest.current.notify(latest.current.t('errors.unreachable')),
      )
    },
    [start],
  )

  useEffect(() => {
    // If this fails, the next page continues them.
    if (hasPendingDeletions(user.id)) start().catch(() => {})
  }, [start, user.id])

  const snapshot = useSyncExternalStore(
    queue?.subscribe ?? noSubscription,
    queue?.getSnapshot ?? (() => NOTHING),
    () => NOTHING,
  )
  const [onlyId] = snapshot.waiting === 1 && snapshot.hidden.size === 1 ? snapshot.hidden : []
  const name = useNameInLists(onlyId)
  const deleteNow = useCallback(() => void started.current?.deleteNow(), [])
  const deletions = useMemo(() => ({ ...snapshot, add, deleteNow }), [snapshot, add, deleteNow])
  return (
    <DeletionsContext value={deletions}>
      {children}
      {queue && snapshot.hidden.size > 0 && (
        <Suspense>
          <UndoBar queue={queue} waiting={snapshot.waiting} sending={snapshot.sending} name={name} />
        </Suspense>
      )}
    </DeletionsContext>
  )
}
