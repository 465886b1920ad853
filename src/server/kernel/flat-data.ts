import { z } from 'zod'
import { isStorable } from './text.ts'

const MAX_KEYS = 16
const MAX_BYTES = 2048
const MAX_KEY = 64

const UNSTORABLE = 'must be valid Unicode without NUL characters'
const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value))

/** Schema of an app's own values: flat, so that each can be a filter. */
const values = z
  .record(
    z.string(),
    z.union([z.string().refine(isStorable, UNSTORABLE), z.number(), z.boolean()], {
      error: 'must be a string, a number or a boolean',
    }),
    { error: 'must be a flat object' },
  )
  .refine((value) => Object.keys(value).every((key) => isStorable(key) && /^.{1,64}$/su.test(key)), {
    error: `must have keys of 1 to ${MAX_KEY} characters, valid Unicode without NUL characters`,
    abort: true,
  })
  .refine((value) => Object.keys(value).length <= MAX_KEYS, {
    error: ({ input }) => `must have at most ${MAX_KEYS} keys, not ${Object.keys(input as object).length}`,
    abort: true,
  })
  .refine((value) => bytesOf(value) <= MAX_BYTES, {
    error: ({ input }) => `must have at most ${MAX_BYTES} bytes as JSON, not ${bytesOf(input as object)}`,
  })
  .meta({
    maxProperties: MAX_KEYS,
    propertyNames: { minLength: 1, maxLength: MAX_KEY },
    description: `At most ${MAX_BYTES} bytes as JSON.`,
  })

export type FlatData = z.output<typeof values>

/** Rejects the key `__proto__`, which zod's records would drop silently. */
export const flatData = z.preprocess((value, { addIssue }) => {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
    addIssue('must not have the key __proto__')
  return value
}, values) as unknown as typeof values
