'use client'

import { TextLink } from '../components/text-link.tsx'
import { useWords } from '../i18n/messages-provider.tsx'

/** Below the forms for who has forgotten the password. */
export function BackToSignIn() {
  const { t } = useWords()
  return t.rich('forgotPassword.back', { link: (text) => <TextLink href="/signin">{text}</TextLink> })
}
