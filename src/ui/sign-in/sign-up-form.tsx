'use client'

import { createClient } from '@pigeonhole/client'
import { TRPCClientError } from '@trpc/client'
import { type FormEvent, useState } from 'react'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { passwordSignIn } from './password-sign-in.ts'
import { Submit } from './submit.tsx'
import { wordsForCode } from './words.ts'

type Fields = Record<string, string[]>
const OFFLINE = 'The server cannot be reached. Check the connection and try again.'

export function SignUpForm() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [fields, setFields] = useState<Fields>({})

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email'))
    const password = String(form.get('password'))
    const name = String(form.get('name')).trim() || undefined
    setBusy(true)
    setError(undefined)
    setFields({})
    try {
      await createClient().account.signUp.mutate({ email, password, name })
      const code = await passwordSignIn(email, password)
      if (code === null) return location.assign('/')
      setError(wordsForCode(code))
    } catch (failure) {
      const data =
        failure instanceof TRPCClientError
          ? (failure.data as { code: string; fieldErrors?: Fields } | null)
          : null
      // What is merely malformed is told beside the field; a taken email has a sentence that says what to do.
      if (data?.code === 'BAD_REQUEST' && data.fieldErrors) setFields(data.fieldErrors)
      else setError(data ? (failure as Error).message : OFFLINE)
    }
    setBusy(false)
  }

  const fault = (name: string) => fields[name] && `This ${fields[name].join('; ')}.`

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {error && <Notice tone="error">{error}</Notice>}
      <TextField
        label="Name (optional)"
        name="name"
        autoComplete="name"
        maxLength={100}
        error={fault('name')}
      />
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        error={fault('email')}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        hint="12 to 128 characters; a few words make a good one."
        error={fault('password')}
      />
      <Submit busy={busy}>{busy ? 'Creating your account …' : 'Create account'}</Submit>
    </form>
  )
}
