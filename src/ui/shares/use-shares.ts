'use client'

import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'

export type Shares = Outputs['shares']['list']
export type Share = Shares['items'][number]

const keyOf = (fileId: string) => ['shares', fileId]

/** The links to a file that work, newest first. */
export function useShares(fileId: string) {
  const { client } = useClients()
  return useQuery({
    queryKey: keyOf(fileId),
    queryFn: ({ signal }) => client.shares.list.query({ fileId }, { signal }),
    // Downloads are counted meanwhile.
    staleTime: 0,
  })
}

/** Fetches the links again; resolves when they are there. */
export function useRefreshShares(fileId: string): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: keyOf(fileId) }), [queries, fileId])
}
