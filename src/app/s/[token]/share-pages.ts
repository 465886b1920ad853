import type { SharePages } from '../../../server/http/share-visit.ts'
import { fileTypeKey } from '../../../ui/files/file-type-key.ts'
import { escapeHtml, PLAIN_STYLE, plainPage, wordsOf } from '../../plain-page.ts'

/** The colours are those of globals.css. A finger needs 44 px. */
const STYLE = `${PLAIN_STYLE}
main{max-width:32rem;margin-top:min(8vh,4rem);overflow-wrap:anywhere}
h1{margin:0 0 .25rem}p{margin:.25rem 0 1rem}.soft{color:light-dark(#5f5e58,#a6ada9)}
.brand{display:flex;gap:.5rem;align-items:center;margin-bottom:1.5rem;font-weight:600}.brand img{margin:0;border-radius:0;background:none}.error{color:light-dark(#b3261e,#ff9d94)}
img{display:block;max-width:100%;max-height:50vh;margin-bottom:1.5rem;border-radius:.5rem;background:light-dark(#f0f0ed,#242726)}
.button{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 1.25rem;border:1px solid transparent;border-radius:.5rem;background:light-dark(#0b6a63,#6fcfc4);color:light-dark(#fff,#05201d);font:inherit;font-weight:500;text-decoration:none;cursor:pointer}
.button:hover{background:light-dark(#084f4a,#97e0d7)}
label{display:block;margin-bottom:.375rem;font-weight:500}
input{box-sizing:border-box;width:100%;min-height:2.75rem;margin-bottom:1rem;padding:0 .75rem;border:1px solid light-dark(#8b8a83,#7d8582);border-radius:.5rem;background:light-dark(#fff,#1b1d1c);color:inherit;font:inherit}
:focus-visible{outline:2px solid light-dark(#0b6a63,#6fcfc4);outline-offset:2px}`

const ICON = '<link rel="icon" href="/icon.svg">'
const BRAND = '<p class="brand"><img src="/icon.svg" alt="" width="24" height="24">Pigeonhole</p>'

/** Without scripts: whoever has the link sees what it is, whatever his browser allows. */
export const sharePages: SharePages = {
  dead(request) {
    const { locale, t } = wordsOf(request)
    const title = t('sharePage.deadTitle')
    const main = `${BRAND}<h1>${title}</h1><p class="soft">${t('sharePage.deadText')}</p>`
    return plainPage({ locale, title, main, style: STYLE, head: ICON })
  },

  locked(request, problem) {
    const { locale, t } = wordsOf(request)
    const title = t('sharePage.lockedTitle')
    const error = problem && `<p id="error" role="alert" class="error">${t(`sharePage.${problem}`)}</p>`
    const described = problem ? ' aria-invalid="true" aria-describedby="error"' : ''
    const main = `${BRAND}<h1>${title}</h1><p class="soft">${t('sharePage.lockedText')}</p>
<form method="post"><label for="password">${t('common.password')}</label><input id="password" name="password" type="password" required autofocus autocomplete="off"${described}>${error ?? ''}<button class="button">${t('sharePage.unlock')}</button></form>`
    return plainPage({ locale, title, main, style: STYLE, head: ICON })
  },

  open(request, { filename, mimeType, size, expiresAt, preview, downloadUrl }) {
    const { locale, formatLocale, t, format } = wordsOf(request)
    const typeKey = fileTypeKey(mimeType)
    const facts = `${escapeHtml(typeKey ? t(typeKey) : mimeType)} · ${escapeHtml(format.bytes(size))}`
    // The server does not know the visitor's time zone.
    const day = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'long', timeZone: 'UTC' }).format(
      expiresAt,
    )
    const image = preview
      ? `<img src="${escapeHtml(preview)}" alt="${escapeHtml(t('sharePage.preview'))}">`
      : ''
    const main = `${BRAND}${image}<h1 dir="auto">${escapeHtml(filename)}</h1><p class="soft">${facts}</p>
<p><a class="button" rel="nofollow" href="${escapeHtml(downloadUrl)}">${t('files.download')}</a></p><p class="soft">${t('sharePage.until', { day: escapeHtml(day) })}</p>`
    return plainPage({ locale, title: filename, main, style: STYLE, head: ICON })
  },
}
