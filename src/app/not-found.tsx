import Link from 'next/link'
import { buttonClass } from '../ui/components/button-class.ts'
import { CenteredLayout } from '../ui/layout/centered-layout.tsx'
import { pageTitle, requestMessages } from './locale.ts'

export const generateMetadata = pageTitle('notFound.title')

export default async function NotFound() {
  const { t } = await requestMessages()
  return (
    <CenteredLayout title={t('notFound.title')}>
      <p className="mb-6 text-sm text-ink-soft">{t('notFound.text')}</p>
      <Link href="/" className={buttonClass('primary', 'min-h-11 w-full')}>
        {t('notFound.home')}
      </Link>
    </CenteredLayout>
  )
}
