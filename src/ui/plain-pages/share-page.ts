import { buttonClass } from '../components/button-class.ts'
import { fileTypeKey } from '../files/file-type-key.ts'
import { centeredPage } from './centered-page.ts'
import { html } from './html.ts'
import type { PageContext } from './page-context.ts'
import { textField } from './parts.ts'

// Pages of shared links. They load no script, so visitors see the file whatever their browser allows.

const BUTTON = 'min-h-11 w-full'

/** Page of a link that was revoked, has expired or never existed. */
export function shareUnavailablePage(context: PageContext): string {
  const { t } = context
  return centeredPage(context, {
    title: t('sharePage.unavailableTitle'),
    intro: t('sharePage.unavailableText'),
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
    html`<div class="mb-6 overflow-hidden rounded-lg bg-sunken"><img src="${preview}" alt="${t('sharePage.preview')}" class="mx-auto block max-h-[50vh] max-w-full"></div>`
  // The message has no markup, so the name is escaped for it.
  const sender =
    sharedBy && html`${{ html: t('sharePage.sharedBy', { name: html`<bdi>${sharedBy}</bdi>`.html }) }} `
  const main = html`<a rel="nofollow" href="${downloadUrl}" class="${buttonClass('primary', picture ? 'min-h-11 max-sm:w-full' : BUTTON)}">${t('files.download')} · ${format.bytes(size)}</a><p class="mt-4 text-sm text-ink-soft">${expiryText(expiresAt, context)}</p>`
  return centeredPage(context, {
    title: filename,
    intro: html`${sender}<span class="whitespace-nowrap">${sender && '· '}${typeKey ? t(typeKey) : mimeType}</span>`,
    main,
    picture: picture || undefined,
    siteUrl: undefined,
  })
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
