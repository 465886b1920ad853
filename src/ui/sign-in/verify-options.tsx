'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type VerifyOptionsProps = {
  user: { email: string } | null
  busy: boolean
  /** As who is signed in by then. */
  onVerify(): Promise<void>
}

/**
 * How to confirm: with a click, for who is signed in; else with the account's password, which keeps the account as it
 * is, or with a new one, after which nobody who had it before gets in.
 */
export function VerifyOptions({ user, busy, onVerify }: VerifyOptionsProps) {
  const { t } = useWords()
  const [signingIn, setSigningIn] = useState(false)
  const [error, setError] = useState<string>()

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy || signingIn) return
    const form = new FormData(event.currentTarget)
    setSigningIn(true)
    setError(undefined)
    const code = await signInWithPassword(String(form.get('email')), String(form.get('password')))
    if (code === null) await onVerify()
    else setError(t(signInErrorKey(code)))
    setSigningIn(false)
  }

  if (user)
    return (
      <>
        <p className="text-sm text-ink-soft">
          {t.rich('verifyEmail.signedIn', {
            address: user.email,
            email: (text) => <strong className="font-medium break-words text-ink">{text}</strong>,
          })}
        </p>
        <Button variant="primary" busy={busy} className="min-h-11 w-full" onClick={() => onVerify()}>
          {t('verifyEmail.confirm')}
        </Button>
      </>
    )
  return (
    <>
      <form onSubmit={signIn} method="post" className="space-y-4">
        <p className="text-sm text-ink-soft">{t('verifyEmail.signIn')}</p>
        {error && <Notice tone="error">{error}</Notice>}
        <TextField
          label={t('common.email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
        />
        <TextField
          label={t('common.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={1024}
        />
        <Button type="submit" variant="primary" busy={signingIn} className="min-h-11 w-full">
          {t('verifyEmail.signInConfirm')}
        </Button>
      </form>
      <div className="space-y-3 border-t border-line pt-4">
        <p className="text-sm text-ink-soft">{t('verifyEmail.claim')}</p>
        <Button busy={busy} className="min-h-11 w-full py-2" onClick={() => onVerify()}>
          {t('verifyEmail.claimConfirm')}
        </Button>
      </div>
    </>
  )
}
