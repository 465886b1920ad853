import { z } from 'zod'

/** Returns false for NUL and unpaired surrogates, which PostgreSQL cannot store in text or jsonb. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const UNSTORABLE = 'must not contain NUL or unpaired surrogates'
/** The same rules for JSON Schema, in a syntax that regular expressions of every language support. */
const STORABLE = '^[^\\x00]*$'
const NOT_BLANK = '^[^\\x00]*[^\\s\\x00][^\\x00]*$'

/** Schema of storable text with `min` to `max` characters (Unicode code points). */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .refine((v) => v.length <= max || [...v].length <= max, `must have at most ${max} characters`)
    .refine(isStorable, UNSTORABLE)
    .meta({ maxLength: max, pattern: STORABLE })
}

export function nonBlankText(max: number) {
  return text(0, max)
    .refine((v) => v.trim() !== '', 'must not be empty')
    .meta({ minLength: 1, pattern: NOT_BLANK })
}

/** Schema like `nonBlankText` that trims its value. */
export function trimmedText(max: number) {
  return z.string().trim().pipe(text(1, max)).meta({
    minLength: 1,
    maxLength: max,
    pattern: NOT_BLANK,
    description: 'Surrounding white space is removed before the limit is checked.',
  })
}

/** Rejects unpaired surrogates: hashing maps each of them to U+FFFD, so different passwords would be equal. */
export const wellFormedText = z
  .string({ error: 'must be a string' })
  .refine((v) => v.isWellFormed(), 'must not have unpaired surrogates')

/** Schema of a new password. Counts code points, not UTF-16 units. */
export const newPassword = (min: number, max: number) =>
  wellFormedText.refine((password) => {
    const { length } = [...password]
    return length >= min && length <= max && password.trim() !== ''
  }, `must have ${min} to ${max} characters, not just spaces`)

/** Schema of a search term in a query string. */
export const searchText = (max: number) => z.string().max(max).refine(isStorable, UNSTORABLE)
