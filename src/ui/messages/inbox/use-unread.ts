'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { UNREAD_KEY } from '../unread-key.ts'

type Item = { id: string; unread: boolean }

/**
 * Which messages were unread when this page showed them first: they keep their mark while the page is open. The server
 * is told as soon as somebody can see them.
 */
export function useUnread(items: readonly Item[]): ReadonlySet<string> {
  const { client } = useClients()
  const queries = useQueryClient()
  const { mutate: markRead } = useMutation({
    mutationFn: (messageId: string) => client.messages.markRead.mutate({ messageId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: UNREAD_KEY }),
  })
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const unread = items.filter((item) => item.unread).map(({ id }) => id)
  const newest = unread[0]

  useEffect(() => {
    if (newest === undefined) return
    const tell = () => {
      if (document.visibilityState !== 'visible') return
      removeEventListener('visibilitychange', tell)
      markRead(newest)
    }
    tell()
    addEventListener('visibilitychange', tell)
    return () => removeEventListener('visibilitychange', tell)
  }, [markRead, newest])

  if (unread.some((id) => !seen.has(id))) setSeen(new Set([...seen, ...unread]))
  return seen
}
