import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import { chooseLocale } from '../ui/i18n/choose-locale.ts'
import { compiledMessages } from '../ui/i18n/compile-messages.ts'
import { LOCALE_COOKIE } from '../ui/i18n/locales.ts'
import { createTranslator } from '../ui/i18n/translator.ts'

/** The language of the requested page, its messages, and `t` for what the server renders. Once per request. */
export const requestWords = cache(async () => {
  const [jar, requestHeaders] = await Promise.all([cookies(), headers()])
  const chosen = chooseLocale(jar.get(LOCALE_COOKIE)?.value, requestHeaders.get('accept-language'))
  const messages = compiledMessages(chosen.locale)
  return { ...chosen, messages: JSON.stringify(messages), t: createTranslator(chosen.formatLocale, messages) }
})
