'use client'

import { createClient } from '@pigeonhole/client'
import { TRPCClientError } from '@trpc/client'
import { type FormEvent, useState } from 'react'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { SERVER_UNREACHABLE } from '../context/error-message.ts'
import { signInErrorMessage } from './sign-in-error-message.ts'
import { signInWithPassword } from './sign-in-with-password.ts'
import { SubmitButton } from './submit-button.tsx'

type FieldErrors = Record<string, string[]>

export function SignUpForm() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({})

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email'))
    const password = String(form.get('password'))
    const name = String(form.get('name')).trim() || undefined
    setBusy(true)
    setError(undefined)
    setFieldErrors({})
    try {
      await createClient().account.signUp.mutate({ email, password, name })
      const code = await signInWithPassword(email, password)
      if (code === null) return location.assign('/')
      setError(signInErrorMessage(code))
    } catch (failure) {
      const data =
        failure instanceof TRPCClientError
          ? (failure.data as { code: string; fieldErrors?: FieldErrors } | null)
          : null
      // Invalid fields are reported next to the field. Other errors, such as a taken email, are full sentences.
      if (data?.code === 'BAD_REQUEST' && data.fieldErrors) setFieldErrors(data.fieldErrors)
      else setError(data ? (failure as Error).message : SERVER_UNREACHABLE)
    }
    setBusy(false)
  }

  const fieldError = (name: string) => fieldErrors[name] && `This ${fieldErrors[name].join('; ')}.`

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {error && <Notice tone="error">{error}</Notice>}
      <TextField
        label="Name (optional)"
        name="name"
        autoComplete="name"
        maxLength={100}
        error={fieldError('name')}
      />
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        error={fieldError('email')}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        hint="12 to 128 characters. A phrase of several words works well."
        error={fieldError('password')}
      />
      <SubmitButton busy={busy}>{busy ? 'Creating your account…' : 'Create account'}</SubmitButton>
    </form>
  )
}
