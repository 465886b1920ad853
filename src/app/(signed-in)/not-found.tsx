import Link from 'next/link'
import { buttonClass } from '../../ui/components/button-class.ts'
import { Card } from '../../ui/components/card.tsx'
import { requestMessages } from '../locale.ts'

/** "Not found" page inside the layout, so that header, navigation and uploads survive. */
export default async function NotFound() {
  const { t } = await requestMessages()
  return (
    <Card className="mx-auto max-w-xl p-6">
      <h1 className="text-xl font-semibold">{t('notFound.title')}</h1>
      <p className="mt-3 mb-6 text-sm text-ink-soft">{t('notFound.text')}</p>
      <Link href="/" className={buttonClass('primary')}>
        {t('notFound.home')}
      </Link>
    </Card>
  )
}
