import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { Checkbox } from '../components/checkbox.tsx'
import { NewPasswordField } from '../components/password-field.tsx'
import { UsernameField } from '../components/username-field.tsx'
import { errorDetails, errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword } from './auth-api.ts'
import { emailTags } from './email-tags.tsx'
import { loadPage } from './load-page.ts'

type NewPasswordFormProps = {
  /** Token for `account.resetPassword`. */
  token: string
  /** Email of the account. Undefined until it is known. */
  email: string | undefined
  /** Called if the link was used or has expired. */
  onInvalidLink(): void
}

/** Sets a new password and signs in with it. */
export function NewPasswordForm({ token, email, onInvalidLink }: NewPasswordFormProps) {
  const { t } = useMessages()
  const [invalid, setInvalid] = useState(false)

  async function submit(fields: FormData) {
    const password = String(fields.get('password'))
    const endKeysAndShares = fields.has('endKeysAndShares')
    setInvalid(false)
    try {
      const input = { token, password, endKeysAndShares }
      const account = await createClient().account.resetPassword.mutate(input)
      const code = await signInWithPassword(account.email, password)
      // The password is set even if signing in fails. The sign-in page shows the reason.
      if (code === null) return loadPage('/')
      return loadPage(code === 'PasskeyRequired' ? `/signin?error=${code}` : '/signin')
    } catch (failure) {
      const { code, fieldErrors } = errorDetails(failure)
      if (code !== 'BAD_REQUEST') return errorText(t, failure)
      if (fieldErrors?.password) setInvalid(true)
      else onInvalidLink()
      return undefined
    }
  }

  return (
    <AccountForm
      label={t('resetPassword.submit')}
      busyLabel={t('resetPassword.submitting')}
      onSubmit={submit}
      // Reserve the height, so that nothing moves when the email appears.
      intro={
        <p className="min-h-5 text-sm wrap-anywhere text-ink-soft">
          {email !== undefined && t.rich('resetPassword.account', emailTags(email))}
        </p>
      }
    >
      {email !== undefined && <UsernameField email={email} />}
      <NewPasswordField
        label={t('account.newPassword')}
        autoFocus
        hint={t('signUp.passwordHint')}
        error={invalid ? t('signUp.passwordInvalid') : undefined}
      />
      <p className="text-sm text-ink-soft">{t('resetPassword.signsOut')}</p>
      <Checkbox
        name="endKeysAndShares"
        label={t('resetPassword.endKeysAndShares')}
        hint={t('resetPassword.endKeysAndSharesHint')}
      />
    </AccountForm>
  )
}
