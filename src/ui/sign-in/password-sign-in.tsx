'use client'

import type { ReactNode } from 'react'
import { EmailField } from '../components/email-field.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { AccountForm } from './account-form.tsx'
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
export function PasswordSignIn({ error, onSignedIn, children, ...form }: PasswordSignInProps) {
  const { t } = useWords()

  async function submit(fields: FormData) {
    const code = await signInWithPassword(String(fields.get('email')), String(fields.get('password')))
    if (code !== null) return t(signInErrorKey(code))
    await onSignedIn()
    return undefined
  }

  return (
    <AccountForm {...form} error={error && t(signInErrorKey(error))} onSubmit={submit} footer={children}>
      <EmailField />
      <PasswordField />
    </AccountForm>
  )
}
