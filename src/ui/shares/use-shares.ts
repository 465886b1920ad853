import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useChangeInLists } from '../files/use-file-queries.ts'

type Shares = Outputs['shares']['list']
export type Share = Shares['items'][number]

const keyOf = (fileId: string) => ['shares', fileId]

/** Fetches the active links to a file, newest first. */
export function useShares(fileId: string) {
  const { client } = useClients()
  return useQuery({
    queryKey: keyOf(fileId),
    queryFn: ({ signal }) => client.shares.list.query({ fileId }, { signal }),
    // The download counts change.
    staleTime: 0,
  })
}

/** Returns a function that fetches the links again, and marks the file in lists if it has any. */
export function useRefreshShares(fileId: string): () => Promise<void> {
  const queries = useQueryClient()
  const changeInLists = useChangeInLists()
  return useCallback(async () => {
    await queries.invalidateQueries({ queryKey: keyOf(fileId) })
    const shares = queries.getQueryData<Shares>(keyOf(fileId))
    if (!shares) return
    changeInLists((one) => (one.id === fileId ? { ...one, shared: shares.items.length > 0 } : one))
  }, [queries, changeInLists, fileId])
}
