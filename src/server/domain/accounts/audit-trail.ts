import { z } from 'zod'
import { secondsAfter } from '../../kernel/clock.ts'
import { csvLine } from '../../kernel/csv.ts'
import { firstIdOf, isId } from '../../kernel/ids.ts'
import { pageInput, pageOf, readPage } from '../../kernel/page.ts'
import { searchText } from '../../kernel/text.ts'
import { jsonTime } from '../../kernel/validation.ts'

const time = z.iso.datetime({
  offset: true,
  error: 'must be an ISO 8601 time with an offset, like 2026-11-21T12:00:00Z',
})

/** Query of GET /api/admin/audit/export. */
export const exportAuditInput = z.strictObject({
  userId: z.string().optional().meta({ description: 'User who acted or was affected.' }),
  actor: searchText(100).optional().meta({
    description: '`user:ID`, `token:ID` (push token), `key:ID` (server key) or `admin`.',
  }),
  action: searchText(100).optional(),
  from: time.optional(),
  to: time.optional().meta({ description: 'Exclusive.' }),
  hideOwnReads: z.enum(['true', 'false']).optional().meta({
    description: 'True leaves out your own GET calls to the admin API.',
  }),
  hideCalls: z.enum(['true', 'false']).optional().meta({
    description:
      'True leaves out calls to the admin API that only read, were rejected (except with 401 or 403), or whose change has its own entry.',
  }),
})

/** Query of GET /api/admin/audit. */
export const listAuditInput = exportAuditInput.extend(pageInput.shape)

const auditEntry = z
  .object({
    id: z.string(),
    at: jsonTime,
    action: z.string(),
    actor: z.string().nullable(),
    /** Email or name of the user, or name of the key or token. Null: unknown or deleted. */
    actorName: z.string().nullable(),
    userId: z.string().nullable(),
    /** Email or name. Null: deleted. */
    userName: z.string().nullable(),
    subjectId: z.string().nullable(),
    /** Title of a canceled message, name of a shared file, or origin of a webhook. Null: another subject, or deleted. */
    subjectName: z.string().nullable(),
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
        actorName: 'ada@example.com',
        userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
        userName: 'ada@example.com',
        subjectId: null,
        subjectName: null,
        address: '192.0.2.1',
        details: {},
      },
    ],
  })

export const listAuditOutput = pageOf(auditEntry)

export type AuditEntry = z.input<typeof auditEntry>

export type AuditSearch = {
  userId: string | undefined
  actor: string | undefined
  action: string | undefined
  from: Date | undefined
  to: Date | undefined
  /** Actor whose GET calls to the admin API are left out. */
  hideReadsOf: string | undefined
  /** Calls to the admin API to leave out if they succeeded, as POSIX regular expressions of `METHOD path`. */
  hideCalls: readonly string[] | undefined
  /** Exclusive bounds. IDs follow the time to within an hour. */
  beforeId: string | undefined
  afterId: string | undefined
  limit: number
}

export type AuditTrailRepo = {
  /** Lists entries, newest first. */
  list(search: AuditSearch): Promise<AuditEntry[]>
}

/**
 * Calls that add nothing to the log: reads, and changes that have their own entry. A user's change
 * has an entry per field. The page names all other calls (`AUDIT_CALL_NAMES`).
 */
export const CALLS_WITHOUT_NEWS = [
  '^GET ',
  '^POST /api/admin/doctor$',
  '^POST /api/admin/users$',
  '^(PATCH|DELETE) /api/admin/users/[^/]+$',
  '^POST /api/admin/users/[^/]+/sign-out$',
  '^POST /api/admin/(server-keys|push-tokens)$',
  '^DELETE /api/admin/(server-keys|push-tokens|broadcasts)/[^/]+$',
  '^POST /api/admin/push-tokens/[^/]+/send$',
  '^POST /api/admin/files/[^/]+/verdict$',
  '^PATCH /api/admin/webhooks/[^/]+$',
]

export type AuditTrail = ReturnType<typeof createAuditTrail>

/** Maximum entries in an export, about 30 MB. */
export const MAX_EXPORTED = 100_000
const EXPORT_PAGE = 1_000
/**
 * Larger than the difference between the clocks of the database, which sets an entry's time, and of the replica,
 * which sets its ID.
 */
const CLOCK_DIFFERENCE_SECONDS = 3_600

const COLUMNS = Object.keys(auditEntry.shape) as (keyof AuditEntry)[]

/** Reads the audit log for administrators. */
export function createAuditTrail({ list }: AuditTrailRepo) {
  /** `reader`: the actor who calls. */
  function searchOf(input: z.output<typeof exportAuditInput>, reader: string) {
    const { userId, actor, action, hideOwnReads } = input
    const hideCalls = input.hideCalls === 'true' ? CALLS_WITHOUT_NEWS : undefined
    const from = input.from === undefined ? undefined : new Date(input.from)
    const to = input.to === undefined ? undefined : new Date(input.to)
    const hideReadsOf = hideOwnReads === 'true' ? reader : undefined
    const afterId = from && firstIdOf(secondsAfter(from, -CLOCK_DIFFERENCE_SECONDS))
    const lastId = to && firstIdOf(secondsAfter(to, CLOCK_DIFFERENCE_SECONDS))
    const search = { userId, actor, action, from, to, hideReadsOf, hideCalls, afterId }
    return async ({ beforeId = lastId, limit }: Pick<AuditSearch, 'beforeId' | 'limit'>) =>
      userId === undefined || isId(userId) ? list({ ...search, beforeId, limit }) : []
  }

  return {
    /**
     * Newest first. Empty for an unknown user ID.
     * @throws AppError BAD_REQUEST if this service did not issue the cursor
     */
    list: ({ cursor, limit, ...search }: z.output<typeof listAuditInput>, reader: string) =>
      readPage({ cursor, limit }, searchOf(search, reader)),

    /** Returns the newest `MAX_EXPORTED` entries as CSV, some lines at a time, so that memory does not grow. */
    async *export(search: z.output<typeof exportAuditInput>, reader: string): AsyncGenerator<string> {
      const read = searchOf(search, reader)
      yield csvLine(COLUMNS)
      let beforeId: string | undefined
      for (let count = 0; count < MAX_EXPORTED; count += EXPORT_PAGE) {
        const entries = await read({ beforeId, limit: EXPORT_PAGE })
        if (entries.length > 0) yield entries.map(lineOf).join('')
        if (entries.length < EXPORT_PAGE) return
        beforeId = entries.at(-1)!.id
      }
    },
  }
}

function lineOf(entry: AuditEntry): string {
  const texts = { ...entry, at: entry.at.toISOString(), details: JSON.stringify(entry.details) }
  return csvLine(COLUMNS.map((column) => texts[column]))
}
