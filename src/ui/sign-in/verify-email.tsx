'use client'

import { createClient } from '@pigeonhole/client'
import { useEffect, useRef, useState } from 'react'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { errorDetails, errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { InvalidLink } from './invalid-link.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { forgetLinkToken, useLinkToken } from './use-link-token.ts'
import { VerifyOptions } from './verify-options.tsx'

type VerifyEmailProps = {
  /** The signed-in user, or null. */
  user: { email: string; isEmailVerified: boolean } | null
}

/** Result of the button. `password`: the account no longer has a password, and `resetToken` sets a new one. */
type Result = { state: 'done' } | { state: 'invalid' } | { state: 'password'; resetToken: string }

/** Page content of an emailed verification link. Opening the page does not use the link; its buttons do. */
export function VerifyEmail({ user }: VerifyEmailProps) {
  const { t } = useMessages()
  const token = useLinkToken()
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const container = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // The focused button has been replaced.
    if (result) container.current?.focus()
  }, [result])

  async function verify() {
    if (busy || !token) return
    setBusy(true)
    setError(undefined)
    try {
      const { resetToken } = await createClient().account.verifyEmail.mutate({ token })
      forgetLinkToken()
      setResult(resetToken === null ? { state: 'done' } : { state: 'password', resetToken })
    } catch (failure) {
      if (errorDetails(failure).code === 'BAD_REQUEST') setResult({ state: 'invalid' })
      else setError(errorText(t, failure, { FORBIDDEN: 'verifyEmail.otherAccount' }))
    }
    setBusy(false)
  }

  const nextLink = { href: user ? '/' : '/signin', label: t(user ? 'notFound.home' : 'signIn.title') }
  // Verifying an email invalidates the account's other links, so success is the message for these too.
  const isInvalid = token === '' || result?.state === 'invalid'
  const isEmailVerified = result?.state === 'done' || (isInvalid && user?.isEmailVerified)

  if (token === undefined) return null
  return (
    <div ref={container} tabIndex={-1} className="space-y-4 outline-none">
      {isEmailVerified ? (
        <>
          <Notice tone="info">{t('verifyEmail.done')}</Notice>
          <a href={nextLink.href} className={buttonClass('primary', 'min-h-11 w-full')}>
            {nextLink.label}
          </a>
        </>
      ) : result?.state === 'password' ? (
        <>
          <Notice tone="info">{t('verifyEmail.setPassword')}</Notice>
          <NewPasswordForm token={result.resetToken} onInvalidLink={() => setResult({ state: 'invalid' })} />
        </>
      ) : isInvalid ? (
        <InvalidLink action={nextLink} />
      ) : (
        <>
          {error && <Notice tone="error">{error}</Notice>}
          <VerifyOptions user={user} busy={busy} onVerify={verify} />
        </>
      )}
    </div>
  )
}
