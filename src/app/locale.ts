import type { Metadata } from 'next'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import { chooseLocale } from '../ui/i18n/choose-locale.ts'
import { compiledMessages } from '../ui/i18n/compile-messages.ts'
import { LOCALE_COOKIE } from '../ui/i18n/locales.ts'
import type { PlainMessageKey } from '../ui/i18n/message-types.ts'
import { createTranslator } from '../ui/i18n/translator.ts'

/** Returns the language and messages of the requested page, and `t` for server rendering. Computed once per request. */
export const requestMessages = cache(async () => {
  const [jar, requestHeaders] = await Promise.all([cookies(), headers()])
  const chosen = chooseLocale(jar.get(LOCALE_COOKIE)?.value, requestHeaders.get('accept-language'))
  const messages = compiledMessages(chosen.locale)
  return { ...chosen, messages: JSON.stringify(messages), t: createTranslator(chosen.formatLocale, messages) }
})

/** Returns a page's `generateMetadata`. The title names the page, then what it belongs to. */
export function pageTitle(...keys: PlainMessageKey[]): () => Promise<Metadata> {
  return async () => {
    const { t } = await requestMessages()
    return { title: keys.map((key) => t(key)).join(' · ') }
  }
}
