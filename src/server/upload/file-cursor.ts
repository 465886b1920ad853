import { z } from 'zod'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { FileCursor, FileSort, ListedFile } from './ports.ts'

const bySize = z.tuple([z.literal('largest'), z.int(), z.string()])
// PostgreSQL takes no NUL, and no half characters.
const text = z.string().refine((name) => name.isWellFormed() && !name.includes('\0'))
const byName = z.tuple([z.literal('name'), text, z.string()])

/** The `nextCursor` behind this file: its id where the order is by age, else also what the order goes by. */
export function encodeCursor(sort: FileSort, { id, size, filename }: ListedFile): string {
  if (sort === 'largest') return encode([sort, size, id])
  if (sort === 'name') return encode([sort, filename, id])
  return id
}

/** @throws AppError BAD_REQUEST if it is not a cursor of this order */
export function decodeCursor(sort: FileSort, cursor: string): FileCursor {
  if (sort === 'largest') {
    const { data } = bySize.safeParse(decode(cursor))
    if (data && isId(data[2])) return { size: data[1], id: data[2] }
  } else if (sort === 'name') {
    const { data } = byName.safeParse(decode(cursor))
    if (data && isId(data[2])) return { filename: data[1], id: data[2] }
  } else if (isId(cursor)) return { id: cursor }
  throw new AppError(
    'BAD_REQUEST',
    'The cursor is not one that files.list gave out (nextCursor) for this sort.',
    {
      fieldErrors: { cursor: ['must be the nextCursor of an earlier page with the same sort'] },
    },
  )
}

const encode = (key: unknown[]): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
