'use client'

import { useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { InvalidLink } from './invalid-link.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useLinkToken } from './use-link-token.ts'

/** Page content of an emailed link that resets a password. */
export function ResetPassword() {
  const { t } = useMessages()
  const token = useLinkToken()
  const [invalidToken, setInvalidToken] = useState<string>()
  if (token === undefined) return null
  if (token === '' || token === invalidToken)
    return <InvalidLink action={{ href: '/forgot-password', label: t('resetPassword.again') }} />
  return <NewPasswordForm token={token} onInvalidLink={() => setInvalidToken(token)} />
}
