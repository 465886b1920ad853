import { buttonClass } from '../components/button-class.ts'
import { fileTypeKey } from '../files/file-type-key.ts'
import { centeredPage } from './centered-page.ts'
import { type Html, html } from './html.ts'
import type { PageContext } from './page-context.ts'
import { svg, textField } from './parts.ts'

// Pages of shared links. They load no script, so visitors see the file whatever their browser allows.

const BUTTON = 'min-h-11 w-full'
/** The same icons as in `lucide-react`: `Link2Off`, `Download`, `Lock` and `FileText`. */
const LINK_OFF = html`<path d="M9 17H7A5 5 0 0 1 7 7"/><path d="M15 7h2a5 5 0 0 1 4 8"/><line x1="8" x2="12" y1="12" y2="12"/><line x1="2" x2="22" y1="2" y2="22"/>`
const LOCK = html`<rect width="18" height="11" x="3" y="11" rx="2" ry="2"/><path d="M7 11V7a5 5 0 0 1 10 0v4"/>`
const FILE = html`<path d="M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z"/><path d="M14 2v5a1 1 0 0 0 1 1h5"/><path d="M10 9H8"/><path d="M16 13H8"/><path d="M16 17H8"/>`
const DOWNLOAD = html`<path d="M12 15V3"/><path d="M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4"/><path d="m7 10 5 5 5-5"/>`

/** Page of a link that was revoked, has expired or never existed. */
export function shareUnavailablePage(context: PageContext): string {
  const { t } = context
  return centeredPage(context, {
    title: t('sharePage.unavailableTitle'),
    intro: t('sharePage.unavailableText'),
    sign: svg(LINK_OFF, 'size-6'),
    main: html`<a href="/" class="${buttonClass('secondary', BUTTON)}">${t('sharePage.home')}</a>`,
    siteUrl: undefined,
  })
}

/** Form for the link's password. */
export function shareLockedPage(
  context: PageContext,
  problem: 'wrongPassword' | 'tooManyPasswords' | null,
): string {
  const { t } = context
  const field = textField({
    label: t('common.password'),
    name: 'password',
    error: problem ? t(`sharePage.${problem}`) : undefined,
    input: { type: 'password', required: true, autofocus: true, autocomplete: 'off' },
  })
  const main = html`<form method="post" class="space-y-4">${field}<button type="submit" class="${buttonClass('primary', BUTTON)}">${t('sharePage.unlock')}</button></form>`
  return centeredPage(context, {
    title: t('sharePage.lockedTitle'),
    intro: t('sharePage.lockedText'),
    sign: svg(LOCK, 'size-6'),
    main,
    siteUrl: undefined,
  })
}

type SharedFile = {
  filename: string
  /** Name of the user who shares the file, if there is one. */
  sharedBy: string | null
  mimeType: string
  /** Bytes. */
  size: number
  expiresAt: Date
  /** URL of the image to show, or null. */
  preview: string | null
  downloadUrl: string
}

/** Page that shows what a link shares, and downloads it. */
export function sharedFilePage(context: PageContext, file: SharedFile): string {
  const { t, format } = context
  const { filename, sharedBy, mimeType, size, expiresAt, preview, downloadUrl } = file
  const typeKey = fileTypeKey(mimeType)
  const picture =
    preview !== null &&
    html`<div class="stage mb-6 overflow-hidden rounded-lg"><img src="${preview}" alt="${t('sharePage.preview')}" class="mx-auto block max-h-[50vh] max-w-full"></div>`
  // The message has no markup, so the name is escaped for it.
  const sender = sharedBy && {
    html: t('sharePage.sharedBy', { name: html`<bdi>${sharedBy}</bdi>`.html }),
  }
  const main = html`<div class="flex flex-wrap items-center gap-x-4 gap-y-3"><a rel="nofollow" href="${downloadUrl}" class="${buttonClass('primary', picture ? 'min-h-11 max-sm:w-full' : BUTTON)}">${svg(DOWNLOAD, 'size-4')}${t('files.download')} · ${format.bytes(size)}</a><p class="text-sm text-ink-soft">${expiryText(expiresAt, context)}</p></div>`
  return centeredPage(context, {
    title: filename,
    intro: dottedParts([sender, typeKey ? t(typeKey) : mimeType]),
    main,
    sign: picture ? undefined : svg(FILE, 'size-6'),
    picture: picture || undefined,
    footer: html`${t('sharePage.trust')}`,
    siteUrl: undefined,
  })
}

/** HTML of `DottedParts` in src/ui/components: the dot at the start of a line is outside the box. Screen readers get a comma. */
function dottedParts(parts: (Html | string | null)[]): Html {
  const spans = parts
    .filter((part) => part !== null && part !== '')
    .map(
      (part, index) =>
        html`<span class="min-w-0 pl-3.5 wrap-anywhere not-last:after:content-[''/',']">${index > 0 && html`<span aria-hidden="true" class="-ml-3.5 inline-block w-3.5 text-center">·</span>`}${part}</span> `,
    )
  return html`<span class="block overflow-hidden"><span class="-ml-3.5 flex flex-wrap">${spans}</span></span>`
}

/**
 * Says until when a link works. The page has no script, so only visitors of other pages have sent their time zone. Others
 * get the time that is left, which is the same everywhere.
 */
function expiryText(expiresAt: Date, { t, formatLocale, timeZone }: PageContext): string {
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
