import type { FieldErrors } from '@pigeonhole/client/error-codes'
import { z } from 'zod'
import { AppError } from './errors.ts'

/** In outputs: a time as ISO 8601 in UTC with milliseconds. */
export const isoTime = z
  .date()
  .transform((time) => time.toISOString())
  .pipe(z.iso.datetime())

/** Faults that one answer names: callers choose how many there are, and how long the names are. */
const MAX_FAULTS = 20
const MAX_NAME = 64

/** zod's issues by field, with messages that the caller can act on; the first 20. */
export function fieldErrorsOf(error: z.core.$ZodError): FieldErrors {
  // A Map, since callers choose the names and could send `__proto__`.
  const fields = new Map<string, string[]>()
  let faults = 0
  const add = (path: PropertyKey[], message: string) => {
    if (++faults > MAX_FAULTS) return
    const name = path.join('.') || 'input'
    const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}...` : name
    fields.set(short, [...(fields.get(short) ?? []), message])
  }
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) add([...issue.path, key], 'is not a known field')
    else add(issue.path, issue.message)
    if (faults > MAX_FAULTS) break
  }
  return Object.fromEntries(fields)
}

/** One sentence that says which fields are wrong and how. */
export function summaryOf(fields: FieldErrors): string {
  const list = Object.entries(fields).map(([name, messages]) => `${name}: ${messages.join('; ')}`)
  return `The input is not valid. ${list.slice(0, 10).join('. ')}${list.length > 10 ? ` (and ${list.length - 10} more)` : ''}.`
}

/** @throws AppError BAD_REQUEST with `fieldErrors` */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fieldErrors = fieldErrorsOf(result.error)
  throw new AppError('BAD_REQUEST', summaryOf(fieldErrors), { fieldErrors })
}

/**
 * Text without the marks that turn the reading direction of what follows (Unicode's embeddings, overrides and
 * isolates). Right-to-left scripts need none of them; the marks LRM, RLM and ALM, which they use, stay.
 */
export function withoutDirectionOverrides(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
