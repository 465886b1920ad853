'use client'

import { useState } from 'react'
import { useWords } from '../i18n/messages-provider.tsx'
import { LinkOver } from './link-over.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useLinkToken } from './use-link-token.ts'

/** Where the link of a password mail leads. */
export function ResetPassword() {
  const { t } = useWords()
  const token = useLinkToken()
  const [over, setOver] = useState<string>()
  if (token === undefined) return null
  if (token === '' || token === over)
    return <LinkOver action={{ href: '/forgot-password', label: t('resetPassword.again') }} />
  return <NewPasswordForm token={token} onOver={() => setOver(token)} />
}
