'use client'

import { Button } from '../ui/components/button.tsx'
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
      <Button variant="primary" onClick={reset}>
        {t('common.tryAgain')}
      </Button>
    </CenteredLayout>
  )
}
