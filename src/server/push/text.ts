import { z } from 'zod'

/** PostgreSQL stores neither NUL nor halves of surrogate pairs in text and jsonb. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const UNSTORABLE = 'must not contain NUL or half surrogate pairs'

/** Text of `min` to `max` characters that can be stored. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .refine(isStorable, UNSTORABLE)
}

/** As `text`, without white space around it. */
export function label(max: number) {
  return z.string().trim().pipe(text(1, max)).meta({ minLength: 1, maxLength: max })
}
