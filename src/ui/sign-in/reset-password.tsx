'use client'

import { createClient } from '@pigeonhole/client'
import { useEffect, useState } from 'react'
import { errorDetails } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useLinkToken } from './use-link-token.ts'

/** Page content of an emailed link that resets a password. */
export function ResetPassword() {
  const { t } = useMessages()
  const token = useLinkToken()
  const [invalidToken, setInvalidToken] = useState<string>()
  const [account, setAccount] = useState<{ token: string; email: string }>()
  useEffect(() => {
    if (!token) return
    createClient()
      .account.passwordReset.mutate({ token })
      .then(
        ({ email }) => setAccount({ token, email }),
        (failure) => {
          // After any other failure, the form still works, and reports what is wrong.
          if (errorDetails(failure).code === 'BAD_REQUEST') setInvalidToken(token)
        },
      )
  }, [token])
  if (token === '' || (token !== undefined && token === invalidToken))
    return <ForgotPasswordForm replacesLink />
  return (
    <>
      <CenteredTitle>{t('resetPassword.title')}</CenteredTitle>
      {token !== undefined && (
        <NewPasswordForm
          token={token}
          email={account?.token === token ? account.email : undefined}
          onInvalidLink={() => setInvalidToken(token)}
        />
      )}
    </>
  )
}
