import type { AdminPage } from '@pigeonhole/client/admin'
import { headers } from 'next/headers'
import type { Services } from '../server/api/services.ts'
import { getServices } from '../server/wiring/services.ts'
import { type Filter, parseFilter } from '../ui/admin/filters/parse-filter.ts'
import type { FirstMatches } from '../ui/admin/first-page.ts'

type Handler = (request: Request, services: Services) => Promise<Response>

/** Parameters of a page's address. */
export type SearchParams = Promise<Partial<Record<string, string | string[]>>>

const USER_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Returns true unless the filter names a user by something other than the ID, which only the browser looks up. */
export const isUserId = (user: string | undefined) => user === undefined || USER_ID.test(user)

/**
 * Returns the first page of a list for the filter in the page's address. `queryOf` returns the query of the API, or
 * undefined if the page's scripts must load the list.
 */
export async function firstMatches<Item, Name extends string>(
  searchParams: SearchParams,
  names: readonly Name[],
  handle: Handler,
  path: string,
  queryOf: (filter: Filter<Name>) => Record<string, string | undefined> | undefined,
): Promise<FirstMatches<Item>> {
  const given = Object.entries(await searchParams).flatMap(([name, value]) => [
    [name, [value].flat()[0] ?? ''],
  ])
  const filter = parseFilter(new URLSearchParams(given), names)
  const query = queryOf(filter)
  if (!query) return { page: undefined, filter }
  const defined = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  const page = await adminCall<AdminPage<Item>>(handle, `${path}?${new URLSearchParams(defined)}`)
  return { page, filter }
}

/**
 * Calls an operation of the admin API for a page, with the page's session, so that the list arrives with the HTML.
 * Checks and records the call like one over the network. Returns undefined if it fails: the page then makes the call
 * itself and shows the error.
 */
export async function adminCall<Body>(
  handle: Handler,
  path: string,
): Promise<{ body: Body; at: number } | undefined> {
  const [services, requestHeaders] = await Promise.all([getServices(), headers()])
  const url = new URL(`/api/admin${path}`, services.config.baseUrl)
  const response = await handle(new Request(url, { headers: requestHeaders }), services)
  return response.ok ? { body: await response.json(), at: Date.now() } : undefined
}
