'use client'

import { createClient } from '@pigeonhole/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from './auth-api.ts'

type NewPasswordFormProps = {
  /** For `account.resetPassword`. */
  token: string
  /** The link was used meanwhile, or has expired. */
  onOver(): void
}

/** Sets a new password and signs in with it. */
export function NewPasswordForm({ token, onOver }: NewPasswordFormProps) {
  const { t } = useWords()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [invalid, setInvalid] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const password = String(new FormData(event.currentTarget).get('password'))
    setBusy(true)
    setError(undefined)
    setInvalid(false)
    try {
      const { email } = await createClient().account.resetPassword.mutate({ token, password })
      const code = await signInWithPassword(email, password)
      // The password is set in any case; what keeps from signing in is said there.
      return location.assign(code === null ? '/' : '/signin')
    } catch (failure) {
      const { code, fieldErrors } = errorFacts(failure)
      if (code === 'BAD_REQUEST' && fieldErrors?.password) setInvalid(true)
      else if (code === 'BAD_REQUEST') onOver()
      else setError(errorText(t, failure))
    }
    setBusy(false)
  }

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {error && <Notice tone="error">{error}</Notice>}
      <TextField
        label={t('account.newPassword')}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        hint={t('resetPassword.hint')}
        error={invalid ? t('signUp.passwordInvalid') : undefined}
      />
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? t('resetPassword.submitting') : t('resetPassword.submit')}
      </Button>
    </form>
  )
}
