import type { AdminPage } from '@pigeonhole/client/admin'

/** A response that came with the HTML. `at`: when it was read, in ms since 1970. */
export type FirstResponse<Body> = { body: Body; at: number } | undefined

/** The first page of a list, which came with the HTML. */
export type FirstPage<Item> = FirstResponse<AdminPage<Item> & { total?: number }>

/** Returns the options of a query whose first response came with the HTML. */
export function startingWith<Body>(first: FirstResponse<Body>) {
  return { initialData: first?.body, initialDataUpdatedAt: first?.at }
}
