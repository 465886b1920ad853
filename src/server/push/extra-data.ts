import { z } from 'zod'
import { isStorable } from './text.ts'

/** Deeper JSON than this is a mistake or an attack on whoever walks it recursively. */
const MAX_DEPTH = 20

/** What FCM keeps for itself (https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type). */
const FCM_RESERVED = /^(from$|message_type$|google|gcm)/
/** As a JSON Schema says it. */
const RESERVED = '^(aps$|from$|message_type$|google|gcm)'

/** A message to a name of `data` that a gateway would refuse or overwrite, else undefined. */
export function reservedName(name: string): string | undefined {
  if (name === 'aps') return 'is reserved by APNs; use another name'
  if (FCM_RESERVED.test(name))
    return 'is reserved by FCM (from, message_type, google*, gcm*); use another name'
  return undefined
}

/** The caller's extra payload: a JSON object as it came, so that even a key like `__proto__` stays what it is. */
export const extraData = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object, like {"orderId":"42"}',
  )
  .superRefine((data, context) => {
    const fault = faultOf(data)
    if (fault) context.addIssue({ code: 'custom', message: fault })
    for (const name of Object.keys(data)) {
      const message = reservedName(name)
      if (message) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    propertyNames: { not: { pattern: RESERVED } },
    description: `Any JSON up to ${MAX_DEPTH} levels deep, without NUL and half surrogate pairs. For FCM every value becomes a string.`,
  })

function faultOf(data: object): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: data, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or half surrogate pairs'
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
    for (const [name, inner] of Object.entries(value)) {
      if (!isStorable(name)) return 'must not contain NUL or half surrogate pairs in its names'
      open.push({ value: inner, depth: depth + 1 })
    }
  }
  return undefined
}
