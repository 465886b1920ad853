import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasskeyButton } from '../passkeys/passkey-button.tsx'
import { offerPasskeys } from '../passkeys/webauthn.ts'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword, signInWithRecoveryCode } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type PasswordSignInProps = {
  /** Code for `signInErrorKey`, if a sign-in failed before the page was loaded. */
  error?: string
  label: string
  busyLabel: string
  /** The button stays busy until this resolves. */
  onSignedIn(): Promise<void>
  /** Offers passkeys in the email field. */
  autofill?: boolean
  /** Shown above the fields. */
  intro?: ReactNode
  /** Shown below the button. */
  children?: ReactNode
}

/** Signs in with email and password, a passkey or a recovery code. */
export function PasswordSignIn({
  error,
  onSignedIn,
  autofill = false,
  children,
  ...form
}: PasswordSignInProps) {
  const { t } = useMessages()
  const [needsPasskey, setNeedsPasskey] = useState(error === 'PasskeyRequired')
  const [hasCode, setHasCode] = useState(false)
  const passkeyButton = useRef<HTMLButtonElement>(null)
  const codeField = useRef<HTMLDivElement>(null)

  const onAutofill = useEffectEvent((code: string | null) => {
    if (code === null) void onSignedIn()
  })
  useEffect(() => (autofill ? offerPasskeys(onAutofill) : undefined), [autofill])
  useEffect(() => {
    // The next step after the password.
    if (needsPasskey) passkeyButton.current?.focus()
  }, [needsPasskey])
  useEffect(() => {
    if (hasCode) codeField.current?.querySelector('input')?.focus()
  }, [hasCode])

  async function submit(fields: FormData) {
    const email = String(fields.get('email'))
    const password = String(fields.get('password'))
    const code = hasCode
      ? await signInWithRecoveryCode(email, password, String(fields.get('recoveryCode')))
      : await signInWithPassword(email, password)
    if (code === 'PasskeyRequired') setNeedsPasskey(true)
    if (code !== null) return t(signInErrorKey(code))
    await onSignedIn()
    return undefined
  }

  return (
    <div className="space-y-4">
      <AccountForm {...form} error={error && t(signInErrorKey(error))} onSubmit={submit} footer={children}>
        <EmailField autoComplete={autofill ? 'username webauthn' : 'username'} autoFocus={autofill} />
        <PasswordField required={!hasCode} hint={hasCode ? t('passkeys.passwordHint') : undefined} />
        {hasCode && (
          <div ref={codeField}>
            <TextField
              label={t('passkeys.code')}
              name="recoveryCode"
              required
              maxLength={64}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              hint={t('passkeys.codeHint')}
            />
          </div>
        )}
      </AccountForm>
      <PasskeyButton ref={passkeyButton} isPrimary={needsPasskey && !hasCode} onSignedIn={onSignedIn} />
      {(needsPasskey || hasCode) && (
        <Button className="min-h-11 w-full" onClick={() => setHasCode(!hasCode)}>
          {t(hasCode ? 'passkeys.withoutCode' : 'passkeys.useCode')}
        </Button>
      )}
    </div>
  )
}
