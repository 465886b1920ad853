'use client'

import Link from 'next/link'
import { useWords } from '../i18n/messages-provider.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

type SignInFormProps = {
  next: string
  error?: string
  /** Whether a forgotten password can be reset by mail. */
  canReset: boolean
}

export function SignInForm({ next, error, canReset }: SignInFormProps) {
  const { t } = useWords()

  /** A full page load, so that nothing of a previous user stays in memory. Never resolves: the page is left. */
  function leave(): Promise<void> {
    location.assign(next)
    return new Promise(() => {})
  }

  return (
    <PasswordSignIn
      error={error}
      label={t('signIn.submit')}
      busyLabel={t('signIn.submitting')}
      onSignedIn={leave}
    >
      {canReset && (
        <p className="text-center text-sm">
          <Link
            href="/forgot-password"
            className="inline-flex min-h-11 items-center text-accent underline underline-offset-2"
          >
            {t('signIn.forgot')}
          </Link>
        </p>
      )}
    </PasswordSignIn>
  )
}
