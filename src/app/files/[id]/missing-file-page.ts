import { createHash } from 'node:crypto'
import { chooseLocale } from '../../../ui/i18n/choose-locale.ts'
import { compiledMessages } from '../../../ui/i18n/compile-messages.ts'
import { LOCALE_COOKIE } from '../../../ui/i18n/locales.ts'
import { createTranslator } from '../../../ui/i18n/translator.ts'
import { GROUND } from '../../../ui/theme/themes.ts'

/** This answer is not one of Next's pages: its style is in it, and its policy allows nothing else. */
const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;background:light-dark(${GROUND.light},${GROUND.dark});color:light-dark(#1c1c1a,#edefec)}
main{max-width:24rem;margin:20vh auto 0;padding:1rem}h1{font-size:1.25rem}a{color:light-dark(#0b6a63,#6fcfc4)}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** What a person sees who follows a link to a file that is gone or somebody else's. */
export function missingFilePage(request: Request, baseUrl: string): Response {
  const cookie = new RegExp(`(?:^|; )${LOCALE_COOKIE}=([a-z]+)`).exec(request.headers.get('cookie') ?? '')
  const { locale, formatLocale } = chooseLocale(cookie?.[1], request.headers.get('accept-language'))
  const t = createTranslator(formatLocale, compiledMessages(locale))
  const html = `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${t('missingFile.title')} · Pigeonhole</title><style>${STYLE}</style></head><body><main><h1>${t('missingFile.title')}</h1><p>${t('missingFile.text')}</p><p><a href="${baseUrl}/">${t('notFound.home')}</a></p></main></body></html>`
  return new Response(html, {
    status: 404,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
    },
  })
}
