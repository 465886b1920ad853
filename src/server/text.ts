import { z } from 'zod'

/** PostgreSQL stores neither NUL nor unpaired surrogates in text and jsonb. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const UNSTORABLE = 'must not contain NUL or unpaired surrogates'
/** The same for the JSON Schema, with syntax that regular expressions of every language have. */
const STORABLE = '^[^\\x00]*$'
const NOT_BLANK = '^[^\\x00]*[^\\s\\x00][^\\x00]*$'

/** Text of `min` to `max` characters (Unicode code points) that can be stored. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .refine((v) => v.length <= max || [...v].length <= max, `must have at most ${max} characters`)
    .refine(isStorable, UNSTORABLE)
    .meta({ maxLength: max, pattern: STORABLE })
}

/** Like `text`, but not blank. */
export function nonBlankText(max: number) {
  return text(0, max)
    .refine((v) => v.trim() !== '', 'must not be empty')
    .meta({ minLength: 1, pattern: NOT_BLANK })
}

/** Like `nonBlankText`, trimmed. */
export function trimmedText(max: number) {
  return z.string().trim().pipe(text(1, max)).meta({
    minLength: 1,
    maxLength: max,
    pattern: NOT_BLANK,
    description: 'White space around it is removed; the limit holds after trimming.',
  })
}

/** Text to look for, as query parameters have it. */
export const searchText = (max: number) => z.string().max(max).refine(isStorable, UNSTORABLE)
