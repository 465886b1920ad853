import { z } from 'zod'
import { isId } from '../../kernel/ids.ts'
import { pageInput, pageOf, readPage } from '../../kernel/page.ts'
import { searchText } from '../../kernel/text.ts'
import { jsonTime } from '../../kernel/validation.ts'

/** Query of GET /api/admin/audit. */
export const listAuditInput = z.strictObject({
  userId: z.string().optional(),
  action: searchText(100).optional(),
  ...pageInput.shape,
})

const auditEntry = z
  .object({
    id: z.string(),
    at: jsonTime,
    action: z.string(),
    actor: z.string().nullable(),
    userId: z.string().nullable(),
    subjectId: z.string().nullable(),
    address: z.string().nullable(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
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
  })

export const listAuditOutput = pageOf(auditEntry)

export type AuditEntry = z.input<typeof auditEntry>

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
