import { z } from 'zod'
import { isStorable } from './text.ts'

/** Deeper JSON is a mistake, or an attack on recursive parsers. */
const MAX_DEPTH = 20

/** Names that FCM reserves (https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type). */
const FCM_RESERVED = /^(from$|message_type$|google|gcm)/
/** For the JSON Schema: what `reservedName` refuses, so FCM's names and APNs' `aps`. */
const RESERVED = '^(aps$|from$|message_type$|google|gcm)'

/** Why a gateway would refuse or overwrite an entry of `data` with this name; undefined: it would not. */
export function reservedName(name: string): string | undefined {
  if (name === 'aps') return 'is reserved by APNs; use another name'
  if (FCM_RESERVED.test(name))
    return 'is reserved by FCM (from, message_type, google*, gcm*); use another name'
  return undefined
}

/** The caller's extra payload: a JSON object, unchanged, so that even a key like `__proto__` survives. */
export const extraData = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object, like {"orderId":"42"}',
  )
  .superRefine((data, context) => {
    const problem = problemIn(data)
    if (problem) context.addIssue({ code: 'custom', message: problem })
    for (const name of Object.keys(data)) {
      const message = reservedName(name)
      if (message) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    propertyNames: { not: { pattern: RESERVED } },
    description: `Any JSON up to ${MAX_DEPTH} levels deep, without NUL and unpaired surrogates. For FCM every value becomes a string.`,
  })

function problemIn(data: object): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: data, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or unpaired surrogates'
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
    for (const [name, inner] of Object.entries(value)) {
      if (!isStorable(name)) return 'must not contain NUL or unpaired surrogates in its names'
      open.push({ value: inner, depth: depth + 1 })
    }
  }
  return undefined
}
