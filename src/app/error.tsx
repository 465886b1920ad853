'use client'

import { Button } from '../ui/parts/button.tsx'
import { SignInFrame } from '../ui/sign-in/frame.tsx'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <SignInFrame title="This page could not be shown">
      <p className="mb-6 text-sm text-ink-soft">
        Something went wrong on our side; your files are safe. Try again, and if it stays, tell the operator
        {error.digest ? ` the number ${error.digest}` : ''}.
      </p>
      <Button look="primary" onClick={reset}>
        Try again
      </Button>
    </SignInFrame>
  )
}
