import { Button } from '../components/button.tsx'
import { Disclosure } from '../components/disclosure.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

type VerifyOptionsProps = {
  user: { email: string } | null
  busy: boolean
  /** Verifies the email, for the signed-in user if there is one. */
  onVerify(): Promise<void>
}

/**
 * Ways to verify an email. Signed-in users click a button. Others sign in, which keeps the account's password, or set a
 * new password, which locks out previous users of the account.
 */
export function VerifyOptions({ user, busy, onVerify }: VerifyOptionsProps) {
  const { t } = useMessages()
  if (user)
    return (
      <>
        <p className="text-sm text-ink-soft">
          {t.rich('verifyEmail.signedIn', {
            address: user.email,
            email: (text) => <strong className="font-medium break-words text-ink">{text}</strong>,
          })}
        </p>
        <Button variant="primary" busy={busy} className="min-h-11 w-full" onClick={() => onVerify()}>
          {t('verifyEmail.confirm')}
        </Button>
        <p className="text-sm text-ink-soft">{t('verifyEmail.notYouSignedIn')}</p>
      </>
    )
  return (
    <>
      <PasswordSignIn
        intro={<p className="text-sm text-ink-soft">{t('verifyEmail.signIn')}</p>}
        label={t('verifyEmail.signInConfirm')}
        busyLabel={t('signIn.submitting')}
        onSignedIn={onVerify}
      />
      <Disclosure title={t('verifyEmail.notYou')}>
        <p className="text-sm text-ink-soft">{t('verifyEmail.claim')}</p>
        <Button busy={busy} className="min-h-11 w-full py-2" onClick={() => onVerify()}>
          {t('verifyEmail.claimConfirm')}
        </Button>
      </Disclosure>
    </>
  )
}
