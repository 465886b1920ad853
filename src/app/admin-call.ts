import { AdminError, type AdminPage, type AdminUser } from '@pigeonhole/client/admin'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { listUsers } from '../server/api/http/admin/users.ts'
import type { Services } from '../server/api/services.ts'
import { getServices } from '../server/wiring/services.ts'
import { type Fields, type Filter, parseFilter } from '../ui/admin/filters/parse-filter.ts'
import type { FirstMatches } from '../ui/admin/first-page.ts'
import { findUserId } from '../ui/admin/push-tokens/find-user-id.ts'

type Handler = (request: Request, services: Services) => Promise<Response>

/** Parameters of a page's address. */
export type SearchParams = Promise<Partial<Record<string, string | string[]>>>

/** Returns the query of a search as the admin client sends it. */
const queryOfSearch = (search: object) =>
  new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => {
      if (value === undefined) return []
      if (typeof value !== 'object') return [[name, String(value)]]
      return Object.entries(value).map(([key, one]) => [`${name}.${key}`, String(one)])
    }),
  )

const paramsOf = async (searchParams: SearchParams) =>
  new URLSearchParams(
    Object.entries(await searchParams).map(([name, value]) => [name, [value].flat()[0] ?? '']),
  )

/** Returns a page's address with its parameters. Redirects addresses of earlier versions, which have `userId`. */
export async function addressOf(path: string, searchParams: SearchParams): Promise<string> {
  const params = await paramsOf(searchParams)
  const userId = params.get('userId')
  if (userId === null) return params.size === 0 ? path : `${path}?${params}`
  params.delete('userId')
  params.set('user', userId)
  redirect(`${path}?${params}`)
}

/** Like `findUserId`, for pages. */
export const findUserIdForPage = (emailOrId: string) =>
  findUserId(emailOrId, async (query) => {
    const found = await adminCall<AdminPage<AdminUser>>(
      listUsers,
      `/users?${new URLSearchParams({ ...query, limit: '1' })}`,
    )
    return found?.body ?? { items: [] }
  })

/**
 * Returns the first page of a list for the filter in the page's address. `queryOf` returns the query of the API, or
 * undefined if the page's scripts must load the list. They also report users that do not exist.
 */
export async function firstMatches<Item, Name extends string>(
  searchParams: SearchParams,
  fields: Fields<Name>,
  handle: Handler,
  path: string,
  queryOf: (filter: Filter<Name>) => object | undefined | Promise<object | undefined>,
): Promise<FirstMatches<Item>> {
  const filter = parseFilter(await paramsOf(searchParams), fields)
  try {
    const query = await queryOf(filter)
    if (!query) return { page: undefined, filter }
    const page = await adminCall<AdminPage<Item>>(handle, `${path}?${queryOfSearch(query)}`)
    return { page, filter }
  } catch (error) {
    if (error instanceof AdminError && error.code === 'NOT_FOUND') return { page: undefined, filter }
    throw error
  }
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
