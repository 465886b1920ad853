import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useRefreshFiles } from '../files/use-file-queries.ts'

export type TrashData = Outputs['files']['trash']
export type TrashedFile = TrashData['items'][number]

const TRASH_KEY = ['files', 'trash']
const PAGE_SIZE = 50

/** Loads the trash page by page. `initial` is what the server rendered. */
export function useTrash(initial: TrashData) {
  const { client } = useClients()
  const [renderedAt] = useState(() => Date.now())
  return useInfiniteQuery({
    queryKey: TRASH_KEY,
    queryFn: ({ pageParam, signal }) =>
      client.files.trash.query({ limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
    initialDataUpdatedAt: renderedAt,
  })
}

/** Returns a function that fetches the trash, the lists and the storage use again. */
export function useRefreshTrash(): () => Promise<void> {
  const queries = useQueryClient()
  const refreshFiles = useRefreshFiles()
  return useCallback(async () => {
    refreshFiles()
    await queries.invalidateQueries({ queryKey: TRASH_KEY })
  }, [queries, refreshFiles])
}
