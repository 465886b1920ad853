'use client'

import { useRouter } from 'next/navigation'
import { startTransition, useEffect, useRef } from 'react'
import { Button } from '../../ui/components/button.tsx'
import { buttonClass } from '../../ui/components/button-class.ts'
import { Card } from '../../ui/components/card.tsx'
import { useMessages } from '../../ui/i18n/messages-provider.tsx'
import { AppLink } from '../../ui/layout/app-link.tsx'

/** Error page inside the layout, so that header, navigation and uploads survive. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const { t } = useMessages()
  const { digest } = error
  const router = useRouter()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card className="mx-auto max-w-xl p-6">
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
        {t('errorPage.title')}
      </h1>
      <p className="mt-3 mb-6 text-sm text-ink-soft">
        {digest ? t('errorPage.textWithDigest', { digest }) : t('errorPage.text')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          onClick={() =>
            startTransition(() => {
              router.refresh()
              reset()
            })
          }
        >
          {t('common.tryAgain')}
        </Button>
        <AppLink href="/" className={buttonClass('secondary', 'relative')}>
          {t('notFound.home')}
        </AppLink>
      </div>
    </Card>
  )
}
