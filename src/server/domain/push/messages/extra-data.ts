import { z } from 'zod'
import { isStorable } from '../../../kernel/text.ts'
import { isRecord } from '../../../kernel/validation.ts'

/** Deeper JSON is a mistake, or an attack on recursive parsers. */
const MAX_DEPTH = 20

/** A JSON object that can be stored. Does not copy it, so that even a key like `__proto__` survives. */
export function jsonObject(example: string) {
  return z
    .custom<Record<string, unknown>>(isRecord, `must be a JSON object, like ${example}`)
    .superRefine((value, context) => {
      const problem = problemIn(value)
      if (problem) context.addIssue(problem)
    })
    .meta({ type: 'object', additionalProperties: true })
}

function problemIn(value: object): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or unpaired surrogates'
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} levels deep`
    for (const [name, inner] of Object.entries(value)) {
      if (!isStorable(name)) return 'must not contain NUL or unpaired surrogates in its names'
      open.push({ value: inner, depth: depth + 1 })
    }
  }
  return undefined
}

/** Names that FCM reserves (https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type). */
const FCM_RESERVED = /^(from$|message_type$|google|gcm)/

/** JSON Schema of names that `rejectReservedNames` accepts. */
export const UNRESERVED_NAMES = { not: { pattern: '^(aps$|from$|message_type$|google|gcm)' } }

/** Rejects names in `data` that a gateway would reject or overwrite. */
export function rejectReservedNames(data: object, context: z.RefinementCtx): void {
  const reject = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  for (const name of Object.keys(data)) {
    if (name === 'aps') reject(name, 'is reserved by APNs; use another name')
    if (FCM_RESERVED.test(name))
      reject(name, 'is reserved by FCM (from, message_type, google*, gcm*); use another name')
  }
}

/** The caller's additional payload. */
export const extraData = jsonObject('{"orderId":"42"}')
  .superRefine(rejectReservedNames)
  .meta({
    type: 'object',
    additionalProperties: true,
    propertyNames: UNRESERVED_NAMES,
    description: `Any JSON up to ${MAX_DEPTH} levels deep, without NUL or unpaired surrogates. For FCM, every value becomes a string.`,
  })
