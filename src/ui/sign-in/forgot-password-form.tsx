'use client'

import { createClient } from '@pigeonhole/client'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'

/** Asks for a link that sets a new password. What it says afterwards does not tell whether there is an account. */
export function ForgotPasswordForm() {
  const { t } = useWords()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [sentTo, setSentTo] = useState<string>()
  const sent = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // The form with the focus is gone.
    if (sentTo !== undefined) sent.current?.focus()
  }, [sentTo])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    setBusy(true)
    setError(undefined)
    try {
      await createClient().account.requestPasswordReset.mutate({ email })
      setSentTo(email)
    } catch (failure) {
      setError(
        errorText(t, failure, { BAD_REQUEST: 'signUp.emailInvalid', TOO_MANY_REQUESTS: 'mailLinks.tooMany' }),
      )
    }
    setBusy(false)
  }

  if (sentTo !== undefined)
    return (
      <div ref={sent} tabIndex={-1} className="outline-none">
        <Notice tone="info">{t('forgotPassword.sent', { email: sentTo })}</Notice>
      </div>
    )
  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      <p className="text-sm text-ink-soft">{t('forgotPassword.text')}</p>
      {error && <Notice tone="error">{error}</Notice>}
      <TextField
        label={t('common.email')}
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
      />
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? t('forgotPassword.submitting') : t('forgotPassword.submit')}
      </Button>
    </form>
  )
}
