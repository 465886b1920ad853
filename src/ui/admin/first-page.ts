import type { AdminPage } from '@pigeonhole/client/admin'
import type { Filter } from './filters/parse-filter.ts'

/** A response that came with the HTML. `at`: when it was read, in ms since 1970. */
export type FirstResponse<Body> = { body: Body; at: number } | undefined

/** The first page of a list, which came with the HTML. */
export type FirstPage<Item> = FirstResponse<AdminPage<Item> & { total?: number }>

/** The first page of a list with filters. `filter`: that of the page's address when it was read. */
export type FirstMatches<Item> = { page: FirstPage<Item>; filter: Filter }

/** Returns the first page if it belongs to this filter. */
export function firstOf<Item>({ page, filter }: FirstMatches<Item>, current: Filter): FirstPage<Item> {
  const names = Object.keys({ ...filter, ...current })
  return names.every((name) => filter[name] === current[name]) ? page : undefined
}

/** Returns the options of a query whose first response came with the HTML. */
export function startingWith<Body>(first: FirstResponse<Body>) {
  return { initialData: first?.body, initialDataUpdatedAt: first?.at }
}
