'use client'

import { Button } from '../ui/components/button.tsx'
import { CenteredLayout } from '../ui/layout/centered-layout.tsx'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <CenteredLayout title="This page could not be loaded">
      <p className="mb-6 text-sm text-ink-soft">
        Something went wrong on the server. Your files are safe. Try again. If that does not help, contact the
        administrator{error.digest ? ` and quote error ${error.digest}` : ''}.
      </p>
      <Button variant="primary" onClick={reset}>
        Try again
      </Button>
    </CenteredLayout>
  )
}
