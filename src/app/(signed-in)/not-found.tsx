import Link from 'next/link'
import { buttonClass } from '../../ui/components/button-class.ts'
import { Card } from '../../ui/components/card.tsx'
import { requestWords } from '../locale.ts'

/** An address that is no page for this user, within the layout: header, navigation and uploads go on. */
export default async function NotFound() {
  const { t } = await requestWords()
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
