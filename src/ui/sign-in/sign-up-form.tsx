'use client'

import { createClient } from '@pigeonhole/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

const INVALID = {
  name: 'signUp.nameInvalid',
  email: 'signUp.emailInvalid',
  password: 'signUp.passwordInvalid',
} satisfies Record<string, PlainMessageKey>

type Field = keyof typeof INVALID

export function SignUpForm() {
  const { t } = useWords()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [invalid, setInvalid] = useState<string[]>([])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email'))
    const password = String(form.get('password'))
    const name = String(form.get('name')).trim() || undefined
    setBusy(true)
    setError(undefined)
    setInvalid([])
    try {
      await createClient().account.signUp.mutate({ email, password, name })
      const code = await signInWithPassword(email, password)
      if (code === null) return location.assign('/')
      setError(t(signInErrorKey(code)))
    } catch (failure) {
      const { code, fieldErrors } = errorFacts(failure)
      // Invalid fields are reported next to the field, others above the form.
      if (code === 'BAD_REQUEST' && fieldErrors) setInvalid(Object.keys(fieldErrors))
      else setError(errorText(t, failure, { CONFLICT: 'signUp.taken', FORBIDDEN: 'signUp.closed' }))
    }
    setBusy(false)
  }

  const fieldError = (field: Field) => (invalid.includes(field) ? t(INVALID[field]) : undefined)

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {error && <Notice tone="error">{error}</Notice>}
      <TextField
        label={t('signUp.name')}
        name="name"
        autoComplete="name"
        maxLength={100}
        error={fieldError('name')}
      />
      <TextField
        label={t('common.email')}
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        error={fieldError('email')}
      />
      <TextField
        label={t('common.password')}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        hint={t('signUp.passwordHint')}
        error={fieldError('password')}
      />
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? t('signUp.submitting') : t('signUp.submit')}
      </Button>
    </form>
  )
}
