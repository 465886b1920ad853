import { z } from 'zod'

/** Result of one doctor check. `warn`: the service works, with limits. `FAIL`: it would not work or not be safe. */
const findingOutput = z.object({
  /** Stable name, explained in docs/operations.md or docs/storage.md. */
  check: z.string(),
  status: z.enum(['ok', 'warn', 'FAIL']),
  /** For operators. Can name hosts but never contains secrets. */
  message: z.string(),
  /** Webhooks that the warning of `webhooks` is about. */
  receivers: z
    .object({
      /** Number of these webhooks. */
      total: z.number().int(),
      /** At most three of them, failing ones first. `ended`: responded with 410, which ends a subscription. */
      first: z.array(z.object({ webhookId: z.string(), host: z.string(), ended: z.boolean() })),
    })
    .optional(),
})

export type Finding = z.output<typeof findingOutput>

/** Response of GET and POST /api/admin/doctor. */
export const findingsOutput = z
  .object({
    /** True if no finding is a FAIL. */
    ok: z.boolean(),
    findings: z.array(findingOutput),
  })
  .meta({
    id: 'Findings',
    examples: [
      { ok: true, findings: [{ check: 'database-version', status: 'ok', message: 'PostgreSQL 17.6' }] },
    ],
  })

export type Findings = z.output<typeof findingsOutput>
