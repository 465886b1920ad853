import { headers } from 'next/headers'
import type { Services } from '../server/api/services.ts'
import { getServices } from '../server/wiring/services.ts'

/** Returns what finds a user in the search fields and is easiest to recognize: a verified email, or else the ID. */
export async function searchNameOf(userId: string): Promise<string> {
  const { userAdministration } = await getServices()
  const { items } = await userAdministration.list({ query: userId, limit: 10, sort: 'newest' })
  const user = items.find(({ id }) => id === userId)
  return user?.emailVerified ? (user.email ?? userId) : userId
}

/**
 * Calls an operation of the admin API for a page, with the page's session, so that the list arrives with the HTML.
 * Checks and records the call like one over the network. Returns undefined if it fails: the page then makes the call
 * itself and shows the error.
 */
export async function adminCall<Body>(
  handle: (request: Request, services: Services) => Promise<Response>,
  path: string,
): Promise<{ body: Body; at: number } | undefined> {
  const [services, requestHeaders] = await Promise.all([getServices(), headers()])
  const url = new URL(`/api/admin${path}`, services.config.baseUrl)
  const response = await handle(new Request(url, { headers: requestHeaders }), services)
  return response.ok ? { body: await response.json(), at: Date.now() } : undefined
}
