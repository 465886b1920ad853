'use client'

import { type FormEvent, useState } from 'react'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { signInErrorMessage } from './sign-in-error-message.ts'
import { signInWithPassword } from './sign-in-with-password.ts'
import { SubmitButton } from './submit-button.tsx'

type SignInFormProps = { next: string; error?: string }

export function SignInForm({ next, error: initial }: SignInFormProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(initial && signInErrorMessage(initial))

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const code = await signInWithPassword(String(form.get('email')), String(form.get('password')))
    // A full page load, so that nothing of a previous user stays in memory.
    if (code === null) return location.assign(next)
    setBusy(false)
    setError(signInErrorMessage(code))
  }

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {error && <Notice tone="error">{error}</Notice>}
      <TextField label="Email" name="email" type="email" autoComplete="username" required maxLength={254} />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={1024}
      />
      <SubmitButton busy={busy}>{busy ? 'Signing in…' : 'Sign in'}</SubmitButton>
    </form>
  )
}
