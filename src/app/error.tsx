'use client'

import { Button } from '../ui/components/button.tsx'
import { buttonClass } from '../ui/components/button-class.ts'
import { useMessages } from '../ui/i18n/messages-provider.tsx'
import { CenteredLayout } from '../ui/layout/centered-layout.tsx'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const { t } = useMessages()
  const { digest } = error
  return (
    <CenteredLayout title={t('errorPage.title')} selects={false}>
      <p className="mb-6 text-sm text-ink-soft">
        {digest ? t('errorPage.textWithDigest', { digest }) : t('errorPage.text')}
      </p>
      <div className="space-y-3">
        <Button variant="primary" className="min-h-11 w-full" onClick={reset}>
          {t('common.tryAgain')}
        </Button>
        {/* Loads the document again: the failed one has no working router. */}
        <a href="/" className={buttonClass('secondary', 'min-h-11 w-full')}>
          {t('notFound.home')}
        </a>
      </div>
    </CenteredLayout>
  )
}
