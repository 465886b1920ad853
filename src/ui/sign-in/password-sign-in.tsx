import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Notice } from '../components/notice.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasskeyButton } from '../passkeys/passkey-button.tsx'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword, signInWithRecoveryCode } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type PasswordSignInProps = {
  label: string
  busyLabel: string
  /** The button stays busy until this resolves. */
  onSignedIn(): Promise<void>
  /** Shown above the fields. */
  intro?: ReactNode
}

/** Signs in with email and password, a passkey or a recovery code. */
export function PasswordSignIn({ onSignedIn, ...form }: PasswordSignInProps) {
  const { t } = useMessages()
  const [needsPasskey, setNeedsPasskey] = useState(false)
  const [hasCode, setHasCode] = useState(false)
  const noticeId = useId()
  const passkeyButton = useRef<HTMLButtonElement>(null)
  const codeField = useRef<HTMLDivElement>(null)

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
    if (code === 'PasskeyRequired') {
      setNeedsPasskey(true)
      // Again, if the step is already shown.
      passkeyButton.current?.focus()
      return undefined
    }
    if (code !== null) return t(signInErrorKey(code))
    await onSignedIn()
    return undefined
  }

  const isPasskeyNext = needsPasskey && !hasCode
  return (
    <div className="space-y-4">
      <AccountForm {...form} isSecondary={isPasskeyNext} onSubmit={submit}>
        <EmailField autoFocus />
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
      {isPasskeyNext && (
        // Announced as the description of the button, which gets the focus.
        <Notice id={noticeId} tone="info" silent>
          {t('signIn.passkeyRequired')}
        </Notice>
      )}
      <PasskeyButton
        ref={passkeyButton}
        describedBy={isPasskeyNext ? noticeId : undefined}
        isPrimary={isPasskeyNext}
        onSignedIn={onSignedIn}
      />
      {(needsPasskey || hasCode) && (
        <Button className="min-h-11 w-full" onClick={() => setHasCode(!hasCode)}>
          {t(hasCode ? 'passkeys.withoutCode' : 'passkeys.useCode')}
        </Button>
      )}
    </div>
  )
}
