import format, { type FormatOptions, type FormatValues } from 'icu-minify/format'
import { createElement, Fragment, type ReactNode } from 'react'
import type { CompiledMessages } from './compile-messages.ts'
import type { MessageKey, MessageTags, MessageValues } from './message-types.ts'

type Rest<V> = keyof V extends never ? [] : [values: V]

/** Words of the reader's language. */
export type Translator = {
  <K extends MessageKey>(key: K, ...values: Rest<MessageValues<K>>): string
  /** For messages with tags, each of which is rendered by a function. */
  rich<K extends MessageKey>(
    key: K,
    values: MessageValues<K> & Record<MessageTags<K>, (children: ReactNode) => ReactNode>,
  ): ReactNode
}

/** `formatLocale`: of numbers within messages, such as `en-GB`. Plural forms are the language's. */
export function createTranslator(formatLocale: string, messages: CompiledMessages): Translator {
  const formatters: FormatOptions['formatters'] = {
    getNumberFormat: cached((locale, options) => new Intl.NumberFormat(locale, options)),
    getDateTimeFormat: cached((locale, options) => new Intl.DateTimeFormat(locale, options)),
    getPluralRules: cached((locale, options) => new Intl.PluralRules(locale, options)),
  }
  function translate(key: MessageKey, values?: FormatValues<ReactNode>) {
    // Every key is there: the types see to it, and a test compares the languages.
    return format<ReactNode>(messages[key]!, formatLocale, values, { formatters })
  }
  const rich = (key: MessageKey, values: FormatValues<ReactNode>) => asNode(translate(key, values))
  const translator = (key: MessageKey, ...[values]: [FormatValues<ReactNode>?]) => translate(key, values)
  return Object.assign(translator, { rich }) as unknown as Translator
}

/** The parts of a text never change places: as children of an element, one by one, they need no keys. */
function asNode(parts: ReactNode | ReactNode[]): ReactNode {
  return Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts
}

/** `new Intl...` takes some hundred times longer than formatting with it. */
function cached<A extends unknown[], F>(create: (...args: A) => F): (...args: A) => F {
  const made = new Map<string, F>()
  return (...args) => {
    const key = JSON.stringify(args)
    const known = made.get(key)
    if (known !== undefined) return known
    const one = create(...args)
    made.set(key, one)
    return one
  }
}
