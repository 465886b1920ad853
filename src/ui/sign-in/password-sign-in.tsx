import type { ReactNode } from 'react'
import { EmailField } from '../components/email-field.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type PasswordSignInProps = {
  /** Code for `signInErrorKey`, if a sign-in failed before the page was loaded. */
  error?: string
  label: string
  busyLabel: string
  /** The button stays busy until this resolves. */
  onSignedIn(): Promise<void>
  /** Shown above the fields. */
  intro?: ReactNode
  /** Shown below the button. */
  children?: ReactNode
}

/** Signs in with email and password. */
export function PasswordSignIn({ error, onSignedIn, children, ...form }: PasswordSignInProps) {
  const { t } = useMessages()

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
