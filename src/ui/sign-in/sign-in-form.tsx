'use client'

import { type FormEvent, useState } from 'react'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { passwordSignIn } from './password-sign-in.ts'
import { Submit } from './submit.tsx'
import { wordsForCode } from './words.ts'

type SignInFormProps = { next: string; error?: string }

export function SignInForm({ next, error: initial }: SignInFormProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(initial && wordsForCode(initial))

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const code = await passwordSignIn(String(form.get('email')), String(form.get('password')))
    // A whole new page, so that nothing of a former person is left.
    if (code === null) return location.assign(next)
    setBusy(false)
    setError(wordsForCode(code))
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
      <Submit busy={busy}>{busy ? 'Signing in …' : 'Sign in'}</Submit>
    </form>
  )
}
