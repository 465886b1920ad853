'use client'

import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type PasswordSignInProps = {
  /** Of a sign-in before the page was loaded: a code for `signInErrorKey`. */
  error?: string
  label: string
  busyLabel: string
  /** The button stays busy until it resolves. */
  onSignedIn(): Promise<void>
  /** Above the fields. */
  intro?: ReactNode
  /** Below the button. */
  children?: ReactNode
}

/** Signs in with email and password. */
export function PasswordSignIn(props: PasswordSignInProps) {
  const { error: initial, label, busyLabel, onSignedIn, intro, children } = props
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
    setError(code ?? undefined)
    setAttempt(attempt + 1)
    if (code === null) await onSignedIn()
    setBusy(false)
  }

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {intro}
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
        {busy ? busyLabel : label}
      </Button>
      {children}
    </form>
  )
}
