'use client'

import { createClient } from '@pigeonhole/client'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { errorDetails, errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { InvalidLink } from './invalid-link.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { RequestVerification } from './request-verification.tsx'
import { useLinkAccount } from './use-link-account.ts'
import { forgetLinkToken, useLinkToken } from './use-link-token.ts'
import { SignOut, VerifyOptions } from './verify-options.tsx'

type VerifyEmailProps = {
  /** The signed-in user, or null. */
  user: { email: string; isEmailVerified: boolean } | null
}

/**
 * Result of the button. `password`: the account no longer has a password, and `resetToken` sets a new one.
 * `invalid-password`: that token has expired.
 */
type Result =
  | { state: 'done' | 'invalid' | 'invalid-password' }
  | { state: 'password'; resetToken: string; email: string }

/** Page content of an emailed verification link. Opening the page does not use the link; its buttons do. */
export function VerifyEmail({ user }: VerifyEmailProps) {
  const { t } = useMessages()
  const token = useLinkToken()
  // Signed-in users confirm with a button.
  const { account } = useLinkAccount(user ? undefined : token, (given, options) =>
    createClient().account.emailVerification.mutate({ token: given }, options),
  )
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<{ code: string | undefined; text: string }>()
  const [busy, setBusy] = useState(false)
  const isOtherAccount = user !== null && error?.code === 'FORBIDDEN'
  const container = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // The focused button has been replaced.
    if (result || isOtherAccount) container.current?.focus()
  }, [result, isOtherAccount])

  async function verify() {
    if (busy || !token) return
    setBusy(true)
    setError(undefined)
    try {
      const { resetToken, email } = await createClient().account.verifyEmail.mutate({ token })
      forgetLinkToken()
      setResult(resetToken === null ? { state: 'done' } : { state: 'password', resetToken, email })
    } catch (failure) {
      const { code } = errorDetails(failure)
      if (code === 'BAD_REQUEST') setResult({ state: 'invalid' })
      else setError({ code, text: errorText(t, failure, { FORBIDDEN: 'verifyEmail.otherAccount' }) })
    }
    setBusy(false)
  }

  // Verifying an email invalidates the account's other links, so success is the message for these too.
  const isInvalid = token === '' || account?.isInvalid || result?.state === 'invalid'
  if (result?.state === 'done' || (isInvalid && user?.isEmailVerified)) {
    const nextLink = { href: user ? '/' : '/signin', label: t(user ? 'notFound.home' : 'signIn.title') }
    return (
      <Content ref={container} title={t('verifyEmail.doneTitle')}>
        <Notice tone="info">{t('verifyEmail.done')}</Notice>
        <a href={nextLink.href} className={buttonClass('primary', 'min-h-11 w-full')}>
          {nextLink.label}
        </a>
      </Content>
    )
  }
  if (result?.state === 'password')
    return (
      <Content ref={container} title={t('resetPassword.title')}>
        <Notice tone="info">{t('verifyEmail.setPassword')}</Notice>
        <NewPasswordForm
          token={result.resetToken}
          email={result.email}
          onInvalidLink={() => setResult({ state: 'invalid-password' })}
        />
      </Content>
    )
  if (result?.state === 'invalid-password') return <ForgotPasswordForm replacesLink />
  if (isInvalid && user) return <RequestVerification email={user.email} replacesLink={token !== ''} />
  if (isInvalid)
    return (
      <InvalidLink>
        <p className="text-sm text-ink-soft">{t('verifyEmail.signInForNew')}</p>
        <a href="/signin?callbackUrl=/verify-email" className={buttonClass('primary', 'min-h-11 w-full')}>
          {t('signIn.title')}
        </a>
      </InvalidLink>
    )
  return (
    <Content ref={container} title={t('verifyEmail.title')}>
      {token !== undefined && (user || account) && (
        <>
          {error && <Notice tone="error">{error.text}</Notice>}
          {isOtherAccount ? (
            <SignOut variant="primary" />
          ) : (
            <VerifyOptions email={account?.email} user={user} busy={busy} onVerify={verify} />
          )}
        </>
      )}
    </Content>
  )
}

type ContentProps = { ref: RefObject<HTMLDivElement | null>; title: string; children: ReactNode }

function Content({ ref, title, children }: ContentProps) {
  return (
    <div ref={ref} tabIndex={-1} className="space-y-4 outline-none">
      <CenteredTitle>{title}</CenteredTitle>
      {children}
    </div>
  )
}
