'use client'

import Link from 'next/link'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type SignInFormProps = {
  next: string
  error?: string
  /** Whether a forgotten password can be reset by mail. */
  canReset: boolean
}

export function SignInForm({ next, error: initial, canReset }: SignInFormProps) {
  const { t } = useWords()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(initial)
  const [attempt, setAttempt] = useState(0)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const code = await signInWithPassword(String(form.get('email')), String(form.get('password')))
    // A full page load, so that nothing of a previous user stays in memory.
    if (code === null) return location.assign(next)
    setBusy(false)
    setError(code)
    setAttempt(attempt + 1)
  }

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {/* A new element for every attempt: the same words again would not be announced. */}
      {error && (
        <Notice key={attempt} tone="error">
          {t(signInErrorKey(error))}
        </Notice>
      )}
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
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? t('signIn.submitting') : t('signIn.submit')}
      </Button>
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
    </form>
  )
}
