import type { FieldErrors } from '@pigeonhole/client/error-codes'
import { z } from 'zod'
import { AppError } from './errors.ts'

/** Output schema of a time: ISO 8601 in UTC with milliseconds. */
export const isoTime = z
  .date()
  .transform((time) => time.toISOString())
  .pipe(z.iso.datetime())

/** Output schema of an endpoint's time. The domain returns a Date, and `JSON.stringify` writes it like `isoTime`. */
export const jsonTime = z.iso.datetime() as unknown as z.ZodType<string, Date>

/** JSON Schema of an object with all these fields. Linters want to know them where `required` names them below `not`. */
export const hasFields = (...names: string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: names,
})

/** Input schema of a whole number. JSON Schema gets the limits too. */
export function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .number({ error })
    .refine((n) => Number.isInteger(n) && n >= min && n <= max, error)
    .meta({ type: 'integer', minimum: min, maximum: max })
}

/** Returns true for an object that is not an array, as JSON has it. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Input schema of scopes: at least one, each once. */
export const scopesIn = <const Scope extends string>(scopes: readonly Scope[]) =>
  z
    .array(z.enum(scopes))
    .min(1, 'must contain at least one scope')
    .refine((list) => new Set(list).size === list.length, 'must contain each scope only once')
    .meta({ uniqueItems: true })

/** Callers choose how many names they send and how long these are, so a response repeats only some of them. */
const MAX_FAULTS = 20
const MAX_NAME = 64

/** Returns zod's first 20 issues by field, with messages that the caller can act on. */
export function fieldErrorsOf(error: z.core.$ZodError): FieldErrors {
  // A Map, because callers choose the names and could send `__proto__`.
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

/** Returns one sentence that lists the invalid fields and their errors. */
export function summaryOf(fields: FieldErrors): string {
  const list = Object.entries(fields).map(([name, messages]) => `${name}: ${messages.join('; ')}`)
  return `The input is not valid. ${list.slice(0, 10).join('. ')}${list.length > 10 ? ` (and ${list.length - 10} more)` : ''}.`
}

/** @throws AppError BAD_REQUEST with `fieldErrors` */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw inputError(result.error)
}

/** Returns a BAD_REQUEST with `fieldErrors`. */
export function inputError(error: z.core.$ZodError): AppError {
  return invalidFields(fieldErrorsOf(error))
}

/** Returns a BAD_REQUEST for these errors. */
export function invalidFields(fieldErrors: FieldErrors): AppError {
  return new AppError('BAD_REQUEST', summaryOf(fieldErrors), { fieldErrors })
}

/**
 * Removes the marks that change the reading direction of the text after them: Unicode's embeddings, overrides and
 * isolates. Keeps LRM, RLM and ALM, the only such marks that right-to-left scripts need.
 */
export function withoutDirectionOverrides(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
