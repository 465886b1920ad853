import { z } from 'zod'
import type { FaultRule, Settings } from './fault-script.ts'

const count = z.int().min(0)

/** Body of `POST /settings`: any of the settings, and nothing else. */
export const settingsInput: z.ZodType<Partial<Settings>> = z.strictObject({
  latencyMs: z.number().min(0).optional(),
  jitterMs: z.number().min(0).optional(),
  goAwayAfter: count.min(1).nullable().optional(),
  idleTimeoutMs: count.min(1).nullable().optional(),
  maxConcurrentStreams: count.optional(),
  refuseConnections: z.boolean().optional(),
  hold: z.boolean().optional(),
})

const action = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('accept') }),
  z.strictObject({
    kind: z.literal('reject'),
    reason: z.string(),
    timestamp: count.optional(),
    retryAfterSeconds: z.number().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal('reset'), code: count.max(13), accepted: z.boolean().optional() }),
  z.strictObject({ kind: z.literal('disconnect'), accepted: z.boolean().optional() }),
  z.strictObject({ kind: z.literal('hold'), accepted: z.boolean().optional() }),
])

/** Body of `POST /rules`. */
export const ruleInput: z.ZodType<FaultRule> = z.strictObject({
  id: z.string().min(1).optional(),
  device: z
    .union([z.string(), z.strictObject({ prefix: z.string() }), z.strictObject({ regex: z.string() })])
    .optional(),
  first: count.optional(),
  firstPerDevice: count.optional(),
  rate: z.number().min(0).max(1).optional(),
  do: action,
})
