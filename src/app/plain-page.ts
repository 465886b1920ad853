import { chooseLocale } from '../ui/i18n/choose-locale.ts'
import { compiledMessages } from '../ui/i18n/compile-messages.ts'
import { createFormats } from '../ui/i18n/formats.ts'
import { LOCALE_COOKIE } from '../ui/i18n/locales.ts'
import { createTranslator } from '../ui/i18n/translator.ts'
import { GROUND } from '../ui/theme/themes.ts'

/** Of the pages that are not Next's: no script, and their style is in them. */
export const PLAIN_STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;background:light-dark(${GROUND.light},${GROUND.dark});color:light-dark(#1c1c1a,#edefec)}
main{max-width:24rem;margin:20vh auto 0;padding:1rem}h1{font-size:1.25rem}a{color:light-dark(#0b6a63,#6fcfc4)}`

/** The words and formats of a request's reader. */
export function wordsOf(request: Request) {
  const cookie = new RegExp(`(?:^|; )${LOCALE_COOKIE}=([a-z]+)`).exec(request.headers.get('cookie') ?? '')
  const { locale, formatLocale } = chooseLocale(cookie?.[1], request.headers.get('accept-language'))
  const t = createTranslator(formatLocale, compiledMessages(locale))
  return { locale, formatLocale, t, format: createFormats(formatLocale, t) }
}

/** `title` is text; `head`, `style` and `main` are HTML and CSS. */
export function plainPage(page: {
  locale: string
  title: string
  style: string
  main: string
  head?: string
}): string {
  const { locale, title, style, main, head = '' } = page
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Pigeonhole</title>${head}<style>${style}</style></head><body><main>${main}</main></body></html>`
}

/** For text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}
