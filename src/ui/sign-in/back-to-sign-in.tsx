'use client'

import { TextLink } from '../components/text-link.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Link to the sign-in page, at the bottom of the pages that reset a password. */
export function BackToSignIn() {
  const { t } = useMessages()
  return t.rich('forgotPassword.back', { link: (text) => <TextLink href="/signin">{text}</TextLink> })
}
