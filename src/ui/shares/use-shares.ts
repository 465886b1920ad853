import type { Outputs } from '@pigeonhole/client'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useChangeInLists } from '../files/use-file-queries.ts'

type Shares = Outputs['shares']['list']
export type Share = Shares['items'][number]

type Clients = ReturnType<typeof useClients>

/** Fetches the active links to a file, newest first. */
export function useShares(fileId: string) {
  const { client } = useClients()
  return useQuery(sharesOf(client, fileId))
}

/** Returns a function that fetches the links again, and marks the file in lists if it has any. */
export function useRefreshShares(fileId: string): () => Promise<void> {
  const { client } = useClients()
  const queries = useQueryClient()
  const changeInLists = useChangeInLists()
  return useCallback(async () => {
    const query = sharesOf(client, fileId)
    // A response that is under way can be older.
    await queries.cancelQueries(query)
    // The list shows the error.
    const shares = await queries.fetchQuery(query).catch(() => undefined)
    if (!shares) return
    changeInLists((one) => (one.id === fileId ? { ...one, shared: shares.items.length > 0 } : one))
  }, [client, queries, changeInLists, fileId])
}

function sharesOf(client: Clients['client'], fileId: string) {
  return queryOptions({
    queryKey: ['shares', fileId],
    queryFn: ({ signal }) => client.shares.list.query({ fileId }, { signal }),
    // The download counts change.
    staleTime: 0,
  })
}
