import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Notice } from '../components/notice.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { UsernameField } from '../components/username-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasskeyButton } from '../passkeys/passkey-button.tsx'
import { usePasskeySupport } from '../passkeys/use-passkey-support.ts'
import { forgotLinkClass } from '../plain-pages/forgot-link-class.ts'
import { AccountForm } from './account-form.tsx'
import { signInWithPassword, signInWithRecoveryCode } from './auth-api.ts'
import { signInErrorKey } from './sign-in-error-key.ts'

type PasswordSignInProps = {
  /** Email of the account, or undefined to ask for it. */
  email: string | undefined
  label: string
  busyLabel: string
  /** The button stays busy until this resolves. */
  onSignedIn(): Promise<void>
  /** Shown above the fields. */
  intro?: ReactNode
}

/** Signs in with email and password, a passkey or a recovery code. */
export function PasswordSignIn(props: PasswordSignInProps) {
  const [round, setRound] = useState(0)
  return <SignInSteps key={round} {...props} onRestart={() => setRound(round + 1)} />
}

/** Once a passkey is required, shows only that or a recovery code, and the email of the account. */
function SignInSteps({ email, onSignedIn, onRestart, ...form }: PasswordSignInProps & { onRestart(): void }) {
  const { t } = useMessages()
  /** Email of an account that needs a passkey after its password. */
  const [account, setAccount] = useState<string>()
  const [hasCode, setHasCode] = useState(false)
  const noticeId = useId()
  const hasPasskeys = usePasskeySupport()
  const passkeyButton = useRef<HTMLButtonElement>(null)
  const recoveryButton = useRef<HTMLButtonElement>(null)
  const codeField = useRef<HTMLDivElement>(null)
  const isPasskeyNext = account !== undefined && !hasCode

  useEffect(() => {
    if (isPasskeyNext) (passkeyButton.current ?? recoveryButton.current)?.focus()
    else codeField.current?.querySelector('input')?.focus()
  }, [isPasskeyNext])

  async function submit(fields: FormData) {
    const given = String(fields.get('email'))
    const password = String(fields.get('password'))
    const code = hasCode
      ? await signInWithRecoveryCode(given, password, String(fields.get('recoveryCode')))
      : await signInWithPassword(given, password)
    if (code === 'PasskeyRequired') {
      setAccount(given)
      return undefined
    }
    if (code !== null) return t(signInErrorKey(code))
    await onSignedIn()
    return undefined
  }

  return (
    <div className="space-y-4">
      {isPasskeyNext && (
        // Announced as the description of the button, which gets the focus.
        <Notice id={noticeId} tone="info" silent>
          {t('signIn.passkeyRequired')}
        </Notice>
      )}
      {account !== undefined && (
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <bdi className="min-w-0 font-medium wrap-anywhere">{account}</bdi>
          <Button variant="ghost" className="-my-2 px-2!" onClick={onRestart}>
            {t(email === undefined ? 'signIn.notYou' : 'session.otherWay')}
          </Button>
        </p>
      )}
      <AccountForm {...form} hidden={isPasskeyNext} onSubmit={submit}>
        <div hidden={account !== undefined} className="space-y-4">
          {email === undefined ? <EmailField autoFocus /> : <UsernameField email={email} />}
          <div className="relative">
            <PasswordField autoFocus={email !== undefined} />
            <a href="/forgot-password" className={forgotLinkClass}>
              {t('signIn.forgot')}
            </a>
          </div>
        </div>
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
      {account === undefined && hasPasskeys && (
        <p className="flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {t('signIn.or')}
        </p>
      )}
      {!hasCode && (
        <PasskeyButton
          ref={passkeyButton}
          describedBy={isPasskeyNext ? noticeId : undefined}
          isPrimary={isPasskeyNext}
          onSignedIn={onSignedIn}
        />
      )}
      {/* Without passkeys, the code is the only next step. */}
      {account !== undefined && (hasPasskeys || !hasCode) && (
        <Button ref={recoveryButton} className="min-h-11 w-full" onClick={() => setHasCode(!hasCode)}>
          {t(hasCode ? 'passkeys.withoutCode' : 'passkeys.useCode')}
        </Button>
      )}
    </div>
  )
}
