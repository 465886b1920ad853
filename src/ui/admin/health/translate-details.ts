import type { FindingDetails } from '../../i18n/messages/findings.ts'

/** Returns the translation of doctor's details and of the phrases in them, or undefined if there is none. */
export function translateDetails(details: FindingDetails, message: string): string | undefined {
  for (const { pattern, translation } of patternsOf(details)) {
    const values = pattern.exec(message)?.slice(1)
    if (values) return translation.replaceAll('{}', () => translateValue(details, values.shift() ?? ''))
  }
  return translateAdvice(details, message)
}

/** Returns a value in the page's language: a phrase or a list of phrases. */
function translateValue(details: FindingDetails, value: string): string {
  if (!value.includes(' ')) return value
  return (
    translateDetails(details, value) ??
    value
      .split(', ')
      // A single word is a name.
      .map((phrase) => (phrase.includes(' ') && translateDetails(details, phrase)) || phrase)
      .join(', ')
  )
}

/** Translates the advice that follows an error, such as `connect ECONNREFUSED: check S3_ENDPOINT`. */
function translateAdvice(details: FindingDetails, message: string): string | undefined {
  const start = message.indexOf(': ')
  if (start < 0) return undefined
  const translation = translateDetails(details, message.slice(start + 2))
  return translation && `${message.slice(0, start)}: ${translation}`
}

type Pattern = { pattern: RegExp; translation: string }

/** The page translates all details each time it renders. */
const compiled = new WeakMap<FindingDetails, Pattern[]>()

/** Returns the templates as patterns, the most specific first. */
function patternsOf(details: FindingDetails): Pattern[] {
  const known = compiled.get(details)
  if (known) return known
  const patterns = Object.entries(details)
    .sort(([a], [b]) => b.length - a.length)
    .map(([template, translation]) => {
      const parts = template.split('{}').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return { pattern: new RegExp(`^${parts.join('(.+)')}$`), translation }
    })
  compiled.set(details, patterns)
  return patterns
}
