import { z } from 'zod'
import type { AuditAction } from './audit.ts'
import { AppError } from './errors.ts'
import { isId } from './ids.ts'
import { searchText } from './text.ts'

/** GET /api/admin/audit: the query. */
export const listAuditInput = z.strictObject({
  userId: z.string().optional(),
  action: searchText(100).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

export const listAuditOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      at: z.iso.datetime(),
      action: z.string(),
      actor: z.string().nullable(),
      userId: z.string().nullable(),
      subjectId: z.string().nullable(),
      address: z.string().nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    }),
  ),
  nextCursor: z.string().nullable(),
})

/** An entry of the audit log. */
export type AuditEntry = {
  id: string
  at: Date
  action: AuditAction
  actor: string | null
  userId: string | null
  subjectId: string | null
  address: string | null
  details: Record<string, string | number | boolean | null>
}

export type AuditTrailRepo = {
  /** Newest first, older than `beforeId`. */
  list(search: {
    userId?: string
    action?: string
    beforeId: string | undefined
    limit: number
  }): Promise<AuditEntry[]>
}

/** Reads the audit log. */
export function createAuditTrail({ list }: AuditTrailRepo) {
  return {
    /**
     * Newest first. No user of this id: no entries.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async list({ userId, action, cursor, limit }: z.output<typeof listAuditInput>) {
      if (cursor !== undefined && !isId(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not the nextCursor of a page.', {
          fieldErrors: { cursor: ['must be the nextCursor of the page before'] },
        })
      if (userId !== undefined && !isId(userId)) return { items: [], nextCursor: null }
      const found = await list({
        ...(userId !== undefined && { userId }),
        ...(action !== undefined && { action }),
        beforeId: cursor,
        limit: limit + 1,
      })
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },
  }
}
