'use client'

import { createClient } from '@pigeonhole/client'
import { useEffect, useRef, useState } from 'react'
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
  const lookup = useRef<AbortController>(undefined)
  useEffect(() => {
    if (!token) return
    const controller = new AbortController()
    lookup.current = controller
    createClient()
      .account.passwordReset.mutate({ token }, { signal: controller.signal })
      .then(
        ({ email }) => setAccount({ token, email }),
        (failure) => {
          // After any other failure, the form still works, and reports what is wrong.
          if (errorDetails(failure).code === 'BAD_REQUEST') setInvalidToken(token)
        },
      )
    return () => controller.abort()
  }, [token])
  if (token === '' || (token !== undefined && token === invalidToken))
    return <ForgotPasswordForm replacesLink />
  return (
    <>
      <CenteredTitle>{t('resetPassword.title')}</CenteredTitle>
      {token !== undefined && (
        // Submitting uses the link, so a slow lookup would then call it invalid.
        <div onSubmitCapture={() => lookup.current?.abort()}>
          <NewPasswordForm
            token={token}
            email={account?.token === token ? account.email : undefined}
            onInvalidLink={() => setInvalidToken(token)}
          />
        </div>
      )}
    </>
  )
}
