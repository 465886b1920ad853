import { z } from 'zod'
import { AppError } from './errors.ts'
import { isId } from './ids.ts'
import { whole } from './validation.ts'

/** Query of the endpoints that return a page. */
export const pageInput = z.strictObject({
  cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page' }),
  limit: z.coerce
    .number()
    .pipe(whole(1, 100))
    .meta({ type: 'integer', minimum: 1, maximum: 100 })
    .default(50),
})

/**
 * Input fields of a procedure that returns a page. tRPC's infinite queries send `direction`, and a null `cursor` for the
 * first page.
 */
export const cursorInput = {
  cursor: z.string({ error: 'must be a string' }).nullish(),
  direction: z.literal('forward', { error: 'must be forward: pages are read in one direction' }).optional(),
}

export type PageInput = { cursor?: string | null | undefined; limit: number }

/** Output schema of a page. The item's schema has the example. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })

export type Page<Item> = { items: Item[]; nextCursor: string | null }

/**
 * Reads one page of a list, by default sorted by ID with the newest first. Asks for one more item to learn if there is
 * a next page. `beforeId`: the cursor.
 * @throws AppError BAD_REQUEST if this service did not issue the cursor
 */
export async function readPage<Item extends { id: string }>(
  { cursor, limit }: PageInput,
  read: (range: { beforeId: string | undefined; limit: number }) => Promise<Item[]>,
  isCursor: (cursor: string) => boolean = isId,
  cursorOf: (item: Item) => string = ({ id }) => id,
): Promise<Page<Item>> {
  if (cursor != null && !isCursor(cursor))
    throw new AppError('BAD_REQUEST', 'Invalid cursor. Use the nextCursor of a previous page.', {
      fieldErrors: { cursor: ['must be the nextCursor of a previous page'] },
    })
  const found = await read({ beforeId: cursor ?? undefined, limit: limit + 1 })
  const items = found.slice(0, limit)
  return { items, nextCursor: found.length > limit ? cursorOf(items.at(-1)!) : null }
}
