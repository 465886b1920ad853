import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'

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

/** Returns a function that fetches the links again and resolves when they have arrived. */
export function useRefreshShares(fileId: string): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: keyOf(fileId) }), [queries, fileId])
}
