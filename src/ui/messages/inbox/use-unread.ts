import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { UNREAD_KEY } from '../../layout/unread-count.tsx'

type Item = { id: string; unread: boolean }

/**
 * Returns the IDs of messages that were unread when the page first showed them. They stay marked while the page is open.
 * Tells the server that they are read once the page is visible, if the list is complete: reading a message marks all
 * earlier ones as read, too.
 */
export function useUnread(items: readonly Item[], isComplete: boolean): ReadonlySet<string> {
  const { client } = useClients()
  const queries = useQueryClient()
  const { mutate: markRead } = useMutation({
    mutationFn: (messageId: string) => client.messages.markRead.mutate({ messageId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: UNREAD_KEY }),
  })
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const unread = items.filter((item) => item.unread).map(({ id }) => id)
  const newest = isComplete ? unread[0] : undefined

  useEffect(() => {
    if (newest === undefined) return
    const markReadIfVisible = () => {
      if (document.visibilityState !== 'visible') return
      removeEventListener('visibilitychange', markReadIfVisible)
      markRead(newest)
    }
    markReadIfVisible()
    addEventListener('visibilitychange', markReadIfVisible)
    return () => removeEventListener('visibilitychange', markReadIfVisible)
  }, [markRead, newest])

  if (unread.some((id) => !seen.has(id))) setSeen(new Set([...seen, ...unread]))
  return seen
}
