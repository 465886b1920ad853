// Apps that bring their own tRPC client, and infinite queries.

import { type AppRouter, CALLS_PER_BATCH, createLink } from '@pigeonhole/client'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openapiDocument } from '../../../src/server/api/openapi/openapi.ts'
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

const PAGED = ['files.list', 'files.trash', 'messages.list', 'messages.sent'] as const

test('these lists are all that have pages', () => {
  const { schemas = {} } = openapiDocument('http://localhost').components ?? {}
  const paged = Object.entries(schemas).filter(([name, schema]) => {
    const { properties = {} } = schema as { properties?: object }
    return name.endsWith('Input') && 'cursor' in properties
  })
  const inputOf = (name: string) =>
    `${name.replace(/(^|\.)(.)/g, (_, _dot, letter: string) => letter.toUpperCase())}Input`
  expect(paged.map(([name]) => name).sort()).toEqual(PAGED.map(inputOf))
})

// The name picks the type of one list: all have the same shape of options.
test.each(PAGED)("tRPC's infiniteQueryOptions read every page of %s", async (name) => {
  for (let n = 0; n < 3; n++)
    await app.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size: 1 })
  const client = createTRPCClient<AppRouter>({
    links: [createLink({ baseUrl: app.url, token: () => user.token })],
  })
  const queryClient = new QueryClient()
  const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient })
  const [namespace, procedure] = name.split('.') as ['files', 'list']
  const options = trpc[namespace][procedure].infiniteQueryOptions(
    { limit: 2 },
    { getNextPageParam: (page) => page.nextCursor, retry: false },
  )
  // What useInfiniteQuery observes.
  const observer = new InfiniteQueryObserver(queryClient, options)
  await observer.refetch()
  while (observer.getCurrentResult().hasNextPage) await observer.fetchNextPage()
  const { data, error } = observer.getCurrentResult()
  expect(error).toBeNull()
  const ids = data!.pages.flatMap((page) => page.items.map(({ id }) => id))
  expect([ids.length >= 3, new Set(ids).size]).toEqual([name === 'files.list', ids.length])
  await expect(
    client[namespace][procedure].query({ direction: 'backward' } as object as { limit: number }),
  ).rejects.toThrow('direction: must be forward')
})
