'use client'

import Link from 'next/link'
import { useMessages } from '../i18n/messages-provider.tsx'
import { loadPage } from './load-page.ts'
import { PasswordSignIn } from './password-sign-in.tsx'

type SignInFormProps = {
  next: string
  error?: string
  /** True if the server can email a link that resets the password. */
  canReset: boolean
}

export function SignInForm({ next, error, canReset }: SignInFormProps) {
  const { t } = useMessages()

  return (
    <PasswordSignIn
      error={error}
      autofill
      label={t('signIn.submit')}
      busyLabel={t('signIn.submitting')}
      onSignedIn={() => loadPage(next)}
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
