import { buttonClass } from '../components/button-class.ts'
import { centeredPage } from './centered-page.ts'
import { html } from './html.ts'
import type { PageContext } from './page-context.ts'

/** Page of an unknown address. */
export function notFoundPage(context: PageContext, siteUrl: string): string {
  const { t } = context
  const main = html`<a href="/" class="${buttonClass('primary', 'min-h-11 w-full')}">${t('notFound.home')}</a>`
  return centeredPage(context, { title: t('notFound.title'), intro: t('notFound.text'), main, siteUrl })
}
