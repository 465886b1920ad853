import { AppError } from '../errors.ts'

export type Page<Item> = { items: Item[]; nextCursor: string | null }

/** Of one more row than the page has: whether there is a next page. */
export function pageOf<Item extends { id: string }>(found: Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
}

export function wrongCursor(): AppError {
  return new AppError('BAD_REQUEST', 'The cursor is not one that this list gave out (nextCursor).', {
    fieldErrors: { cursor: ['must be the nextCursor of an earlier page'] },
  })
}
