import { createHash } from 'node:crypto'
import { pageContext } from '../../../ui/plain-pages/page-context.ts'
import { PLAIN_STYLE, plainPage } from '../../plain-page.ts'

/** Hash of the style. The page's policy allows only this style and the logo. */
const STYLE_HASH = createHash('sha256').update(PLAIN_STYLE).digest('base64')

/** Returns the 404 page for a file that was deleted or belongs to another user. */
export function missingFilePage(request: Request, baseUrl: string): Response {
  const { locale, t } = pageContext(request.headers)
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
