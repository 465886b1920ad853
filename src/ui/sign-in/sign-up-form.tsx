'use client'

import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { EmailField } from '../components/email-field.tsx'
import { NewPasswordField } from '../components/password-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorDetails, errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword } from './auth-api.ts'
import { loadPage } from './load-page.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

export function SignUpForm() {
  const { t } = useMessages()
  const [invalid, setInvalid] = useState<Record<string, string[]>>({})

  async function submit(fields: FormData) {
    const email = String(fields.get('email'))
    const password = String(fields.get('password'))
    const name = String(fields.get('name')).trim() || undefined
    setInvalid({})
    try {
      await createClient().account.signUp.mutate({ email, password, name })
      const code = await signInWithPassword(email, password)
      return code === null ? loadPage('/') : t(signInErrorKey(code))
    } catch (failure) {
      const { code, fieldErrors } = errorDetails(failure)
      // Show invalid fields next to the field, and all other errors above the form.
      if (code !== 'BAD_REQUEST' || !fieldErrors)
        return errorText(t, failure, { CONFLICT: 'signUp.taken', FORBIDDEN: 'signUp.closed' })
      setInvalid(fieldErrors)
      return undefined
    }
  }

  return (
    <AccountForm label={t('signUp.submit')} busyLabel={t('signUp.submitting')} onSubmit={submit}>
      <TextField
        label={t('signUp.name')}
        name="name"
        autoFocus
        autoComplete="name"
        maxLength={100}
        error={invalid.name && t('signUp.nameInvalid')}
      />
      <EmailField error={invalid.email && t('signUp.emailInvalid')} />
      <NewPasswordField error={invalid.password && t('signUp.passwordInvalid')} />
    </AccountForm>
  )
}
