import { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isStorable } from '../../kernel/text.ts'
import type { FileCursor, FileSort, ListedFile } from './upload-repo.ts'

const id = z.string().refine(isId)
const bySize = z.tuple([z.literal('largest'), z.int(), id])
const byName = z.tuple([z.literal('name'), z.string().refine(isStorable), id])

/** Returns the `nextCursor` after this file: its ID, with the value that the list is sorted by unless that is the age. */
export function encodeCursor(sort: FileSort, { id, size, filename }: ListedFile): string {
  if (sort === 'largest') return encode([sort, size, id])
  if (sort === 'name') return encode([sort, filename, id])
  return id
}

/** @throws AppError BAD_REQUEST if it is not a cursor of this sort order */
export function decodeCursor(sort: FileSort, cursor: string): FileCursor {
  if (sort === 'largest') {
    const { data } = bySize.safeParse(decode(cursor))
    if (data) return { size: data[1], id: data[2] }
  } else if (sort === 'name') {
    const { data } = byName.safeParse(decode(cursor))
    if (data) return { filename: data[1], id: data[2] }
  } else if (isId(cursor)) return { id: cursor }
  throw new AppError('BAD_REQUEST', 'Invalid cursor. Use the nextCursor of files.list for the same sort.', {
    fieldErrors: { cursor: ['must be the nextCursor of a previous page with the same sort'] },
  })
}

const encode = (key: unknown[]): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
