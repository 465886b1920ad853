import { z } from 'zod'
import { isStorable } from '../text.ts'

/** Deeper JSON is a mistake, or an attack on recursive parsers. */
export const MAX_DEPTH = 20

/** A JSON object that can be stored, unchanged, so that even a key like `__proto__` survives. */
export function jsonObject(example: string) {
  return z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      `must be a JSON object, like ${example}`,
    )
    .superRefine((value, context) => {
      const problem = problemIn(value)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .meta({ type: 'object', additionalProperties: true })
}

function problemIn(value: object): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }]
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
