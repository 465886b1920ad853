import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import type { ButtonVariant } from '../components/button-class.ts'
import { Disclosure } from '../components/disclosure.tsx'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { emailTags } from './email-tags.tsx'
import { leaveApp } from './leave-app.ts'
import { PasswordSignIn } from './password-sign-in.tsx'

type VerifyOptionsProps = {
  /** Email of the account that the link is for, or undefined if it is unknown. */
  email: string | undefined
  user: { email: string } | null
  busy: boolean
  /** Verifies the email, for the signed-in user if there is one. */
  onVerify(): Promise<void>
}

/**
 * Ways to verify an email. Signed-in users click a button. Others sign in, which keeps the account's password, or set a
 * new password, which locks out previous users of the account.
 */
export function VerifyOptions({ email, user, busy, onVerify }: VerifyOptionsProps) {
  const { t } = useMessages()
  if (user)
    return (
      <>
        <p className="text-sm text-ink-soft">{t.rich('verifyEmail.signedIn', emailTags(user.email))}</p>
        <Button variant="primary" busy={busy} className="min-h-11 w-full" onClick={() => onVerify()}>
          {t('verifyEmail.confirm')}
        </Button>
        <Disclosure title={t('verifyEmail.notYours')}>
          <p className="text-sm text-ink-soft">{t('verifyEmail.notYouSignedIn')}</p>
          <SignOut />
        </Disclosure>
      </>
    )
  return (
    <>
      <PasswordSignIn
        email={email}
        intro={
          <div className="space-y-1 text-sm text-ink-soft">
            {email !== undefined && <p>{t.rich('resetPassword.account', emailTags(email))}</p>}
            <p>{t('verifyEmail.signIn')}</p>
          </div>
        }
        label={t('verifyEmail.signInConfirm')}
        busyLabel={t('signIn.submitting')}
        onSignedIn={onVerify}
      />
      <Disclosure title={t('verifyEmail.notYours')}>
        <p className="text-sm text-ink-soft">{t('verifyEmail.claim')}</p>
        <Button busy={busy} className="min-h-11 w-full py-2" onClick={() => onVerify()}>
          {t('verifyEmail.claimConfirm')}
        </Button>
      </Disclosure>
    </>
  )
}

/** Signs out and loads the page again, which then offers to sign in to another account or to set a new password. */
export function SignOut({ variant }: { variant?: ButtonVariant }) {
  const { t } = useMessages()
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')

  async function leave() {
    setState('busy')
    const hasLeft = await leaveApp(createClient())
    // The link stays in the address.
    if (hasLeft) location.reload()
    else setState('failed')
  }

  return (
    <>
      {state === 'failed' && <Notice tone="error">{t('layout.signOutFailed')}</Notice>}
      <Button variant={variant} busy={state === 'busy'} className="min-h-11 w-full" onClick={leave}>
        {t('verifyEmail.signOut')}
      </Button>
    </>
  )
}
