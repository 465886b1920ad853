'use client'

import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { NewPasswordField } from '../components/password-field.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword } from './auth-api.ts'
import { loadPage } from './load-page.ts'

type NewPasswordFormProps = {
  /** For `account.resetPassword`. */
  token: string
  /** The link was used meanwhile, or has expired. */
  onOver(): void
}

/** Sets a new password and signs in with it. */
export function NewPasswordForm({ token, onOver }: NewPasswordFormProps) {
  const { t } = useWords()
  const [invalid, setInvalid] = useState(false)

  async function submit(fields: FormData) {
    const password = String(fields.get('password'))
    setInvalid(false)
    try {
      const { email } = await createClient().account.resetPassword.mutate({ token, password })
      const code = await signInWithPassword(email, password)
      // The password is set in any case; what keeps from signing in is said there.
      return loadPage(code === null ? '/' : '/signin')
    } catch (failure) {
      const { code, fieldErrors } = errorFacts(failure)
      if (code !== 'BAD_REQUEST') return errorText(t, failure)
      if (fieldErrors?.password) setInvalid(true)
      else onOver()
      return undefined
    }
  }

  return (
    <AccountForm
      label={t('resetPassword.submit')}
      busyLabel={t('resetPassword.submitting')}
      onSubmit={submit}
    >
      <NewPasswordField
        label={t('account.newPassword')}
        hint={t('resetPassword.hint')}
        error={invalid ? t('signUp.passwordInvalid') : undefined}
      />
    </AccountForm>
  )
}
