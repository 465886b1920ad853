import { z } from 'zod'
import { isId } from '../../kernel/ids.ts'
import { readPage } from '../../kernel/page.ts'
import { searchText } from '../../kernel/text.ts'

/** Query of GET /api/admin/audit. */
export const listAuditInput = z.strictObject({
  userId: z.string().optional(),
  action: searchText(100).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

export const listAuditOutput = z
  .object({
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
  .meta({
    examples: [
      {
        items: [
          {
            id: '019aa6f7-8293-74a5-b6b7-c1d2e3f40516',
            at: '2026-11-21T12:00:00.000Z',
            action: 'session.created',
            actor: 'user:019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
            userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
            subjectId: null,
            address: '192.0.2.1',
            details: {},
          },
        ],
        nextCursor: null,
      },
    ],
  })

export type AuditEntry = Omit<z.output<typeof listAuditOutput>['items'][number], 'at'> & { at: Date }

export type AuditTrailRepo = {
  /** Lists entries older than `beforeId`, newest first. */
  list(search: {
    userId?: string
    action?: string
    beforeId: string | undefined
    limit: number
  }): Promise<AuditEntry[]>
}

export type AuditTrail = ReturnType<typeof createAuditTrail>

/** Reads the audit log for administrators. */
export function createAuditTrail({ list }: AuditTrailRepo) {
  return {
    /**
     * Newest first. Empty for an unknown user ID.
     * @throws AppError BAD_REQUEST if this service did not issue the cursor
     */
    list: ({ cursor, limit, ...search }: z.output<typeof listAuditInput>) =>
      readPage({ cursor, limit }, async (range) =>
        search.userId === undefined || isId(search.userId) ? list({ ...search, ...range }) : [],
      ),
  }
}
