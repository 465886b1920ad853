import { escapeHtml } from '../ui/plain-pages/html.ts'
import { BACKGROUND } from '../ui/theme/themes.ts'

/**
 * Style of the pages that Next does not render. They need no script and contain their style. Colors and sizes match
 * globals.css and CenteredLayout. Touch targets are 44 px high.
 */
export const PLAIN_STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;background:light-dark(${BACKGROUND.light},${BACKGROUND.dark});color:light-dark(#1c1c1a,#edefec);overflow-wrap:anywhere}
body{margin:0;padding:2.5rem 1rem;display:flex;flex-direction:column;align-items:center}
.brand{display:flex;gap:.5rem;align-items:center;margin:0 0 2rem;font-size:1.125rem;font-weight:600}
main{box-sizing:border-box;width:100%;max-width:28rem;padding:1.5rem;border:1px solid light-dark(#e2e1dc,#323635);border-radius:.75rem;background:light-dark(#fff,#1b1d1c);box-shadow:0 1px 2px light-dark(rgb(28 28 26/.05),rgb(0 0 0/.4)),0 8px 24px -12px light-dark(rgb(28 28 26/.12),rgb(0 0 0/.6))}
h1{margin:0 0 .25rem;font-size:1.25rem;line-height:1.4}p{margin:.25rem 0 1rem}main>:last-child{margin-bottom:0}
.soft{color:light-dark(#5f5e58,#a6ada9);font-size:.875rem}
.button{box-sizing:border-box;display:flex;align-items:center;justify-content:center;width:100%;min-height:2.75rem;padding:0 1.25rem;border:1px solid transparent;border-radius:.5rem;background:light-dark(#0b6a63,#6fcfc4);color:light-dark(#fff,#05201d);font:inherit;font-size:.875rem;font-weight:500;text-decoration:none;cursor:pointer}
.button:hover{background:light-dark(#084f4a,#97e0d7)}
:focus-visible{outline:2px solid light-dark(#0b6a63,#6fcfc4);outline-offset:2px}
@media(min-width:40rem){body{padding-top:min(12vh,8rem)}main{padding:2rem}}`

const ICON = '<link rel="icon" href="/icon.svg">'
const BRAND = '<header class="brand"><img src="/icon.svg" alt="" width="28" height="28">Pigeonhole</header>'

/** Returns a complete HTML page. `title` is text; `style` and `main` are CSS and HTML. */
export function plainPage(page: { locale: string; title: string; style: string; main: string }): string {
  const { locale, title, style, main } = page
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Pigeonhole</title>${ICON}<style>${style}</style></head><body>${BRAND}<main>${main}</main></body></html>`
}
