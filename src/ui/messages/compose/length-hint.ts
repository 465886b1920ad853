import type { Translator } from '../../i18n/translator.ts'

/**
 * Approximate number of characters that phones show of a notification: one line of the title and four of the text. It
 * depends on the phone, its font and the characters.
 */
const SHOWN = { title: 45, body: 170 }
/** Share of the shown characters from which the count matters. */
const NEAR = 0.8

/** Returns how many characters a text has of those that phones show. Undefined for shorter texts. */
export function lengthHint(name: keyof typeof SHOWN, text: string, t: Translator): string | undefined {
  const limit = SHOWN[name]
  // Code points: a simple emoji counts once.
  const count = [...text.trim()].length
  if (count < limit * NEAR) return undefined
  return t(count > limit ? 'compose.overShown' : 'compose.nearShown', { count, limit })
}
