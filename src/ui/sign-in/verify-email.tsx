'use client'

import { createClient } from '@pigeonhole/client'
import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { LinkOver } from './link-over.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { forgetLinkToken, useLinkToken } from './use-link-token.ts'
import { VerifyOptions } from './verify-options.tsx'

type VerifyEmailProps = {
  /** Who is signed in, and whether the email is proven already; null: nobody is. */
  user: { email: string; isProven: boolean } | null
}

/** What came of the button; `password`: the account has none now, and this token sets one. */
type Result = { state: 'done' } | { state: 'over' } | { state: 'password'; resetToken: string }

/** Where the link of a verification mail leads. Only its buttons use the link up. */
export function VerifyEmail({ user }: VerifyEmailProps) {
  const { t } = useWords()
  const token = useLinkToken()
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const place = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // The button with the focus is gone.
    if (result) place.current?.focus()
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
      if (errorFacts(failure).code === 'BAD_REQUEST') setResult({ state: 'over' })
      else setError(errorText(t, failure, { FORBIDDEN: 'verifyEmail.otherAccount' }))
    }
    setBusy(false)
  }

  const again = { href: user ? '/' : '/signin', label: t(user ? 'notFound.home' : 'signIn.title') }
  // A second link to an account that is proven: its mails all ended with the first.
  const isOver = token === '' || result?.state === 'over'
  const isProven = result?.state === 'done' || (isOver && user?.isProven)

  if (token === undefined) return null
  return (
    <div ref={place} tabIndex={-1} className="space-y-4 outline-none">
      {isProven ? (
        <>
          <Notice tone="info">{t('verifyEmail.done')}</Notice>
          <Link href={again.href} className={buttonClass('primary', 'min-h-11 w-full')}>
            {again.label}
          </Link>
        </>
      ) : result?.state === 'password' ? (
        <>
          <Notice tone="info">{t('verifyEmail.setPassword')}</Notice>
          <NewPasswordForm token={result.resetToken} onOver={() => setResult({ state: 'over' })} />
        </>
      ) : isOver ? (
        <LinkOver action={again} />
      ) : (
        <>
          {error && <Notice tone="error">{error}</Notice>}
          <VerifyOptions user={user} busy={busy} onVerify={verify} />
        </>
      )}
    </div>
  )
}
