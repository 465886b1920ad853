import type { SharePages } from '../../../server/api/http/share-visit.ts'
import { fileTypeKey } from '../../../ui/files/file-type-key.ts'
import { escapeHtml } from '../../../ui/plain-pages/html.ts'
import { type PageContext, pageContext } from '../../../ui/plain-pages/page-context.ts'
import { PLAIN_STYLE, plainPage } from '../../plain-page.ts'

const STYLE = `${PLAIN_STYLE}
.error{color:light-dark(#b3261e,#ff9d94);font-size:.875rem}
.preview{display:block;max-width:100%;max-height:50vh;margin:0 auto 1.5rem;border-radius:.5rem;background:light-dark(#f0f0ed,#242726)}
label{display:block;margin-bottom:.375rem;font-size:.875rem;font-weight:500}
input{box-sizing:border-box;width:100%;min-height:2.75rem;margin-bottom:1rem;padding:0 .75rem;border:1px solid light-dark(#8b8a83,#7d8582);border-radius:.5rem;background:light-dark(#fff,#1b1d1c);color:inherit;font:inherit}
input[aria-invalid]{margin-bottom:.375rem;border-color:light-dark(#b3261e,#ff9d94);outline-color:light-dark(#b3261e,#ff9d94)}input+.error{margin:0 0 1rem}
:focus-visible{outline-offset:0}.button:focus-visible{outline-offset:2px}`

/** Pages of shared links. They work without scripts, so visitors see the file whatever their browser allows. */
export const sharePages: SharePages = {
  unavailable(request) {
    const { locale, t } = pageContext(request.headers)
    const title = t('sharePage.unavailableTitle')
    const main = `<h1>${title}</h1><p class="soft">${t('sharePage.unavailableText')}</p>`
    return plainPage({ locale, title, main, style: STYLE })
  },

  locked(request, problem) {
    const { locale, t } = pageContext(request.headers)
    const title = t('sharePage.lockedTitle')
    const error = problem && `<p id="error" role="alert" class="error">${t(`sharePage.${problem}`)}</p>`
    const described = problem ? ' aria-invalid="true" aria-describedby="error"' : ''
    const main = `<h1>${title}</h1><p class="soft">${t('sharePage.lockedText')}</p>
<form method="post"><label for="password">${t('common.password')}</label><input id="password" name="password" type="password" required autofocus autocomplete="off"${described}>${error ?? ''}<button class="button">${t('sharePage.unlock')}</button></form>`
    return plainPage({ locale, title, main, style: STYLE })
  },

  open(request, { filename, sharedBy, mimeType, size, expiresAt, preview, downloadUrl }) {
    const { locale, t, format, ...context } = pageContext(request.headers)
    const typeKey = fileTypeKey(mimeType)
    const image = preview
      ? `<img src="${escapeHtml(preview)}" alt="${escapeHtml(t('sharePage.preview'))}" class="preview">`
      : ''
    const type = escapeHtml(typeKey ? t(typeKey) : mimeType)
    const sender = sharedBy && t('sharePage.sharedBy', { name: `<bdi>${escapeHtml(sharedBy)}</bdi>` })
    const main = `${image}<h1 dir="auto">${escapeHtml(filename)}</h1><p class="soft">${sender ? `${sender} · ` : ''}${type}</p>
<p><a class="button" rel="nofollow" href="${escapeHtml(downloadUrl)}">${t('files.download')} · ${escapeHtml(format.bytes(size))}</a></p><p class="soft">${escapeHtml(expiryText(expiresAt, t, context))}</p>`
    return plainPage({ locale, title: filename, main, style: STYLE })
  },
}

/**
 * Says until when a link works. The page has no script, so only visitors of other pages have sent their time zone. Others
 * get the time that is left, which is the same everywhere.
 */
function expiryText(
  expiresAt: Date,
  t: PageContext['t'],
  { formatLocale, timeZone }: Pick<PageContext, 'formatLocale' | 'timeZone'>,
): string {
  if (timeZone) {
    const time = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'long', timeStyle: 'short', timeZone })
    return t('sharePage.until', { time: time.format(expiresAt) })
  }
  const minutes = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 60_000))
  const hours = Math.floor(minutes / 60)
  // Rounded, because a link that was just created for 7 days has almost 7 left.
  if (hours >= 48) return t('sharePage.daysLeft', { count: Math.floor(Math.round(minutes / 60) / 24) })
  return hours > 0
    ? t('sharePage.hoursLeft', { count: hours })
    : t('sharePage.minutesLeft', { count: minutes })
}
