import type { Client, Inputs, Outputs } from './client.ts'
import { createLoadedState, type LoadedSnapshot } from './loaded-state.ts'
import type { Observable } from './upload/types.ts'

export type UserFile = Outputs['files']['list']['items'][number]

/** Filter and order of `files.list`. Default: all files, newest first. */
export type FilesFilter = Pick<Extract<Inputs['files']['list'], object>, 'query' | 'mimeTypes' | 'sort'>

/** State at one moment. Immutable: a change creates a new object. */
export type FilesSnapshot = LoadedSnapshot &
  Readonly<{
    /** Loaded files. */
    items: readonly UserFile[]
    /** True if `loadMore` can load more files. */
    hasMore: boolean
  }>

/** The signed-in user's files. */
export type Files = Observable<FilesSnapshot> & {
  /** Loads the next page. Never rejects: the snapshot has the result. */
  readonly loadMore: () => Promise<void>
  /** Reloads all loaded files. Never rejects. */
  readonly refresh: () => Promise<void>
  /** Deletes a file permanently. Never rejects. */
  readonly remove: (fileId: string) => Promise<void>
  /** Returns a URL that downloads the file, valid for 5 minutes. @throws the error of `files.downloadUrl` */
  readonly downloadUrl: (fileId: string) => Promise<string>
}

const PAGE_SIZE = 50
const MAX_PAGE_SIZE = 100

/** Creates the list. It sends nothing until the first subscription. */
export function createFiles(client: Client, filter: FilesFilter = {}): Files {
  const initial: FilesSnapshot = { items: [], status: 'loading', error: null, hasMore: false }
  const { current, run, observable } = createLoadedState(initial)
  let cursor: string | null = null

  const refresh = () =>
    run('refresh', async () => {
      const wanted = Math.max(current().items.length, PAGE_SIZE)
      const items: UserFile[] = []
      let next: string | null = null
      do {
        const limit = Math.min(wanted - items.length, MAX_PAGE_SIZE)
        const page = await client.files.list.query({
          ...filter,
          limit,
          ...(next !== null && { cursor: next }),
        })
        items.push(...page.items)
        next = page.nextCursor
      } while (next !== null && items.length < wanted)
      cursor = next
      return { items, hasMore: cursor !== null }
    })

  const loadMore = () =>
    run('loadMore', async () => {
      if (cursor === null) return {}
      const page = await client.files.list.query({ ...filter, limit: PAGE_SIZE, cursor })
      cursor = page.nextCursor
      return { items: [...current().items, ...page.items], hasMore: cursor !== null }
    })

  const remove = (fileId: string) =>
    run(`remove ${fileId}`, async () => {
      await client.files.delete.mutate({ fileId })
      return { items: current().items.filter(({ id }) => id !== fileId) }
    })

  return {
    ...observable(() => {
      void refresh()
      return () => {}
    }),
    loadMore,
    refresh,
    remove,
    downloadUrl: async (fileId) => (await client.files.downloadUrl.query({ fileId, download: true })).url,
  }
}
