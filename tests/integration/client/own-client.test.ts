// Apps that bring their own tRPC client, and infinite queries.

import { type AppRouter, CALLS_PER_BATCH, createLink } from '@pigeonhole/client'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientApp, startClientApp, type TestUser } from '../../support/app/client-app.ts'

let app: ClientApp
let user: TestUser
beforeAll(async () => {
  app = await startClientApp()
  user = await app.user()
})
afterAll(() => app.close())

const CALLS = 25

/** Makes all calls in one tick, so that a link batches them. */
const manyCalls = (client: ReturnType<typeof createTRPCClient<AppRouter>>) =>
  Promise.all(Array.from({ length: CALLS }, () => client.account.usage.query()))

test('25 calls in one tick succeed with createLink, and with httpBatchLink and the documented maxItems', async () => {
  const own = createTRPCClient<AppRouter>({
    links: [createLink({ baseUrl: app.url, token: () => user.token })],
  })
  expect(await manyCalls(own)).toHaveLength(CALLS)
  const link = { url: `${app.url}/api/trpc`, headers: { authorization: `Bearer ${user.token}` } }
  const plain = (maxItems?: number) =>
    createTRPCClient<AppRouter>({ links: [httpBatchLink({ ...link, maxItems })] })
  expect(await manyCalls(plain(CALLS_PER_BATCH))).toHaveLength(CALLS)
  await expect(manyCalls(plain())).rejects.toThrow('set maxItems of httpBatchLink to 20')
})

// `infiniteQueryOptions` and `useInfiniteQuery` of tRPC call a procedure like this: the first cursor is null.
test.each(['files.list', 'messages.list', 'messages.sent'] as const)(
  'an infinite query reads every page of %s',
  async (name) => {
    for (let n = 0; n < 3; n++)
      await app.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size: 1 })
    const client = createTRPCClient<AppRouter>({
      links: [createLink({ baseUrl: app.url, token: () => user.token })],
    })
    const [namespace, procedure] = name.split('.') as ['messages', 'list']
    type Page = { items: { id: string }[]; nextCursor: string | null }
    const observer = new InfiniteQueryObserver(new QueryClient(), {
      queryKey: [name],
      queryFn: ({ pageParam, direction }): Promise<Page> =>
        client[namespace][procedure].query({ limit: 2, cursor: pageParam, direction } as { limit: number }),
      initialPageParam: null as string | null,
      getNextPageParam: (page: Page) => page.nextCursor,
      retry: false,
    })
    await observer.refetch()
    while (observer.getCurrentResult().hasNextPage) await observer.fetchNextPage()
    const { data, error } = observer.getCurrentResult()
    expect(error).toBeNull()
    const ids = data!.pages.flatMap((page) => page.items.map(({ id }) => id))
    expect([ids.length >= 3, new Set(ids).size]).toEqual([name === 'files.list', ids.length])
    await expect(
      client[namespace][procedure].query({ direction: 'backward' } as object as { limit: number }),
    ).rejects.toThrow('direction: must be forward')
  },
)
