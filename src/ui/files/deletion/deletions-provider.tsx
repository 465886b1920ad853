'use client'

import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useTell } from '../../context/announcer.tsx'
import { errorFacts, errorText } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { useChangeInLists, useRefreshFiles } from '../use-file-queries.ts'
import { deleteWhileLeaving } from './delete-while-leaving.ts'
import { browserDeletionNotes } from './deletion-notes.ts'
import { createDeletionQueue, type DeletionResult } from './deletion-queue.ts'
import { sendDeletion } from './send-deletion.ts'
import { DeletionsContext } from './use-deletions.ts'

/** A script of its own, loaded when there is something to undo. */
const UndoBar = lazy(async () => ({ default: (await import('./undo-bar.tsx')).UndoBar }))

/** Long enough to notice the bar and reach it with the keyboard; it stops while the bar has the focus or the pointer. */
const UNDO_MS = 10_000

/** Deletions that can be undone, on all signed-in pages: they go on when the user goes to another one. */
export function DeletionsProvider({ children }: { children: ReactNode }) {
  const { client } = useClients()
  const { user, setEnded } = useSession()
  const { t } = useWords()
  const { notify } = useTell()
  const changeInLists = useChangeInLists()
  const refresh = useRefreshFiles()
  const [handlers] = useState<{ onResult(result: DeletionResult): void }>(() => ({ onResult() {} }))
  handlers.onResult = ({ deleted, failed, error }) => {
    const gone = new Set(deleted)
    changeInLists((file) => (gone.has(file.id) ? null : file))
    refresh()
    if (failed.length === 0) return
    if (errorFacts(error).code === 'UNAUTHORIZED') setEnded(true)
    notify(t('files.deleteFailed', { count: failed.length, reason: errorText(t, error) }))
  }
  const [queue] = useState(() =>
    createDeletionQueue({
      send: (fileId) => sendDeletion(() => client.files.delete.mutate({ fileId })),
      sendWhileLeaving: deleteWhileLeaving,
      notes:
        typeof window === 'undefined'
          ? { save() {}, takeOver: () => Promise.resolve([]) }
          : browserDeletionNotes(user.id),
      undoMs: UNDO_MS,
      onResult: (result) => handlers.onResult(result),
    }),
  )

  const { hidden } = useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot)

  useEffect(() => {
    const leave = () => queue.leave()
    // The browser kept the page while the user was elsewhere.
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && void queue.deleteNow()
    addEventListener('pagehide', leave)
    addEventListener('pageshow', comeBack)
    void queue.resume()
    return () => {
      removeEventListener('pagehide', leave)
      removeEventListener('pageshow', comeBack)
    }
  }, [queue])

  return (
    <DeletionsContext value={queue}>
      {children}
      {hidden.size > 0 && (
        <Suspense>
          <UndoBar />
        </Suspense>
      )}
    </DeletionsContext>
  )
}
