import { createHash } from 'node:crypto'
import { PLAIN_STYLE, plainPage, wordsOf } from '../../plain-page.ts'

/** Its policy allows nothing but its own style and the logo. */
const STYLE_HASH = createHash('sha256').update(PLAIN_STYLE).digest('base64')

/** What a person sees who follows a link to a file that is gone or somebody else's. */
export function missingFilePage(request: Request, baseUrl: string): Response {
  const { locale, t } = wordsOf(request)
  const title = t('missingFile.title')
  const main = `<h1>${title}</h1><p class="soft">${t('missingFile.text')}</p><p><a class="button" href="${baseUrl}/">${t('notFound.home')}</a></p>`
  return new Response(plainPage({ locale, title, main, style: PLAIN_STYLE }), {
    status: 404,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
    },
  })
}
