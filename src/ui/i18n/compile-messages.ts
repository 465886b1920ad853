import compile from 'icu-minify/compile'
import type { CompiledMessage } from 'icu-minify/format'
import type { Locale } from './locales.ts'
import type { Messages } from './message-types.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'

/** Parsed messages by key. Pages format them without a parser for the ICU format. */
export type CompiledMessages = Record<string, CompiledMessage>

const MESSAGES: Record<Locale, Messages> = { en, de }
const compiled = new Map<Locale, CompiledMessages>()

/** Returns the messages of one language. Runs on the server, so that a page gets only its own language. */
export function compiledMessages(locale: Locale): CompiledMessages {
  const known = compiled.get(locale)
  if (known) return known
  const messages = Object.fromEntries(flatten(MESSAGES[locale]).map(([key, text]) => [key, compile(text)]))
  compiled.set(locale, messages)
  return messages
}

type Tree = { [name: string]: string | Tree }

/** Returns the texts of nested messages with their keys, `group.name`. */
export function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[`${prefix}${name}`, value] as [string, string]]
      : flatten(value, `${prefix}${name}.`),
  )
}
