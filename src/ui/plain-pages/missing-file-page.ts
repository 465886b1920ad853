import { buttonClass } from '../components/button-class.ts'
import { centeredPage } from './centered-page.ts'
import { html } from './html.ts'
import type { PageContext } from './page-context.ts'
import { pageData } from './page-data.ts'

type MissingFilePageProps = {
  siteUrl: string
  /** Path and query of the file. */
  path: string
  /** Email of the signed-in user. Undefined if another credential sent the request. */
  email: string | undefined
}

/** Page of a file that was deleted or belongs to another account. Its script leads to the sign-in page and back. */
export function missingFilePage(
  context: PageContext,
  { siteUrl, path, email }: MissingFilePageProps,
): string {
  const { t } = context
  const signedIn =
    email !== undefined &&
    html`<span class="mt-3 block wrap-anywhere">${t('missingFile.signedIn', { email })}</span>`
  const other =
    email !== undefined &&
    html`<form data-form="leave-account" class="needs-script space-y-4"><button type="submit" data-busy="${t('missingFile.leaving')}" class="${buttonClass('secondary', 'min-h-11 w-full')}">${t('missingFile.otherAccount')}</button></form>`
  const main = html`<div class="space-y-3"><a href="/" class="${buttonClass('primary', 'min-h-11 w-full')}">${t('notFound.home')}</a>${other}</div>`
  return centeredPage(context, {
    title: t('missingFile.title'),
    intro: html`${t('missingFile.text')}${signedIn}`,
    main,
    data: pageData(context, { next: path }),
    siteUrl,
  })
}
