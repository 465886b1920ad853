'use client'

import { Button } from '../components/button.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

type VerifyOptionsProps = {
  user: { email: string } | null
  busy: boolean
  /** As who is signed in by then. */
  onVerify(): Promise<void>
}

/**
 * How to confirm: with a click, for who is signed in; else with the account's password, which keeps the account as it
 * is, or with a new one, after which nobody who had it before gets in.
 */
export function VerifyOptions({ user, busy, onVerify }: VerifyOptionsProps) {
  const { t } = useWords()
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
      <div className="space-y-3 border-t border-line pt-4">
        <p className="text-sm text-ink-soft">{t('verifyEmail.claim')}</p>
        <Button busy={busy} className="min-h-11 w-full py-2" onClick={() => onVerify()}>
          {t('verifyEmail.claimConfirm')}
        </Button>
      </div>
    </>
  )
}
