'use client'

import { useState } from 'react'
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
  if (token === '' || (token !== undefined && token === invalidToken))
    return <ForgotPasswordForm replacesLink />
  return (
    <>
      <CenteredTitle>{t('resetPassword.title')}</CenteredTitle>
      {token !== undefined && <NewPasswordForm token={token} onInvalidLink={() => setInvalidToken(token)} />}
    </>
  )
}
