import { chooseLocale } from '../i18n/choose-locale.ts'
import { type CompiledMessages, compiledMessages } from '../i18n/compile-messages.ts'
import { createFormats, type Formats } from '../i18n/formats.ts'
import { LOCALE_COOKIE, type Locale } from '../i18n/locales.ts'
import { TIME_ZONE_COOKIE, timeZoneOf } from '../i18n/time-zone.ts'
import { createTranslator, type Translator } from '../i18n/translator.ts'
import { THEME_COOKIE, type Theme, themeOf } from '../theme/themes.ts'

/** Properties of a page that the request's cookies and headers decide. */
export type PageContext = {
  locale: Locale
  formatLocale: string
  t: Translator
  format: Formats
  messages: CompiledMessages
  theme: Theme
  /** Undefined on the first visit. */
  timeZone: string | undefined
  /** Nonce of the response's Content-Security-Policy, which the server also adds to the request. */
  nonce: string | undefined
}

/** Returns the language, messages, formats, theme and time zone that a request's headers ask for. */
export function pageContext(headers: Pick<Headers, 'get'>): PageContext {
  const cookies = headers.get('cookie') ?? ''
  const cookie = (name: string) => new RegExp(`(?:^|; )${name}=([^;]+)`).exec(cookies)?.[1]
  const { locale, formatLocale } = chooseLocale(cookie(LOCALE_COOKIE), headers.get('accept-language'))
  const messages = compiledMessages(locale)
  const t = createTranslator(formatLocale, messages)
  return {
    locale,
    formatLocale,
    t,
    format: createFormats(formatLocale, t),
    messages,
    theme: themeOf(cookie(THEME_COOKIE)),
    timeZone: timeZoneOf(cookie(TIME_ZONE_COOKIE)),
    nonce: nonceOf(headers),
  }
}

export function nonceOf(headers: Pick<Headers, 'get'>): string | undefined {
  return /'nonce-([\w+/=]+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]
}
