import { buttonClass } from '../components/button-class.ts'
import { centeredPage } from './centered-page.ts'
import { html } from './html.ts'
import type { PageContext } from './page-context.ts'

type ErrorPageProps = {
  /** ID of the request in the log. */
  requestId: string
  siteUrl: string
}

/** Page that replaces one that the server could not render. Its links load the same address again, or the files. */
export function errorPage(context: PageContext, { requestId, siteUrl }: ErrorPageProps): string {
  const { t } = context
  const main = html`<p class="mb-6 text-sm text-ink-soft">${t('errorPage.textWithDigest', { digest: requestId })}</p><div class="space-y-3"><a href="" class="${buttonClass('primary', 'min-h-11 w-full')}">${t('common.tryAgain')}</a><a href="/" class="${buttonClass('secondary', 'min-h-11 w-full')}">${t('notFound.home')}</a></div>`
  return centeredPage(context, { title: t('errorPage.title'), main, siteUrl })
}
