'use client'

import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useLinkAccount } from './use-link-account.ts'
import { useLinkToken } from './use-link-token.ts'

/** Page content of an emailed link that resets a password. */
export function ResetPassword() {
  const { t } = useMessages()
  const token = useLinkToken()
  const [invalidToken, setInvalidToken] = useState<string>()
  const { account, cancelLookup } = useLinkAccount(token, (given, options) =>
    createClient().account.passwordReset.mutate({ token: given }, options),
  )
  if (token === '' || account?.isInvalid || (token !== undefined && token === invalidToken))
    return <ForgotPasswordForm replacesLink />
  return (
    <>
      <CenteredTitle>{t('resetPassword.title')}</CenteredTitle>
      {token !== undefined && (
        // Submitting uses the link, so a slow lookup would then call it invalid.
        <div onSubmitCapture={cancelLookup}>
          <NewPasswordForm
            token={token}
            // After a failed lookup, the form still works, and reports what is wrong.
            email={account?.email}
            onInvalidLink={() => setInvalidToken(token)}
          />
        </div>
      )}
    </>
  )
}
