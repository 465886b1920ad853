import compile from 'icu-minify/compile'
import type { CompiledMessage } from 'icu-minify/format'
import type { Locale } from './locales.ts'
import type { Messages } from './message-types.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'

/** Messages by key, parsed: the page formats them without a parser of the ICU format. */
export type CompiledMessages = Record<string, CompiledMessage>

const MESSAGES: Record<Locale, Messages> = { en, de }
const compiled = new Map<Locale, CompiledMessages>()

/** The messages of one language. For the server: a page gets what it returns, in its own language only. */
export function compiledMessages(locale: Locale): CompiledMessages {
  const known = compiled.get(locale)
  if (known) return known
  const made = Object.fromEntries(flatten(MESSAGES[locale]).map(([key, text]) => [key, compile(text)]))
  compiled.set(locale, made)
  return made
}

type Tree = { [name: string]: string | Tree }

/** The texts of nested messages with their keys, `group.name`. */
export function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[`${prefix}${name}`, value] as [string, string]]
      : flatten(value, `${prefix}${name}.`),
  )
}
