import format, { type FormatOptions, type FormatValues } from 'icu-minify/format'
import { createElement, Fragment, type ReactNode } from 'react'
import type { CompiledMessages } from './compile-messages.ts'
import type { MessageKey, MessageTags, MessageValues } from './message-types.ts'

type Rest<V> = keyof V extends never ? [] : [values: V]

/** Function that returns texts in the user's language. */
export type Translator = {
  <K extends MessageKey>(key: K, ...values: Rest<MessageValues<K>>): string
  /** Formats a message with tags. A function renders each tag. */
  rich<K extends MessageKey>(
    key: K,
    values: MessageValues<K> & Record<MessageTags<K>, (children: ReactNode) => ReactNode>,
  ): ReactNode
}

/** Creates a translator. `formatLocale`, such as `en-GB`, is for numbers and plural forms. */
export function createTranslator(formatLocale: string, messages: CompiledMessages): Translator {
  const formatters: FormatOptions['formatters'] = {
    getNumberFormat: cached((locale, options) => new Intl.NumberFormat(locale, options)),
    getDateTimeFormat: cached((locale, options) => new Intl.DateTimeFormat(locale, options)),
    getPluralRules: cached((locale, options) => new Intl.PluralRules(locale, options)),
  }
  function translate(key: MessageKey, values?: FormatValues<ReactNode>) {
    // The types guarantee that every key exists, and a test compares the languages.
    return format<ReactNode>(messages[key]!, formatLocale, values, { formatters })
  }
  const rich = (key: MessageKey, values: FormatValues<ReactNode>) => asNode(translate(key, values))
  const translator = (key: MessageKey, ...[values]: [FormatValues<ReactNode>?]) => translate(key, values)
  return Object.assign(translator, { rich }) as unknown as Translator
}

/** Joins the parts of a text. As separate children of one element, they need no React keys. */
function asNode(parts: ReactNode | ReactNode[]): ReactNode {
  return Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts
}

/** Caches formatters, because creating one takes some hundred times longer than formatting with it. */
function cached<A extends unknown[], F>(create: (...args: A) => F): (...args: A) => F {
  const cache = new Map<string, F>()
  return (...args) => {
    const key = JSON.stringify(args)
    const known = cache.get(key)
    if (known !== undefined) return known
    const one = create(...args)
    cache.set(key, one)
    return one
  }
}
