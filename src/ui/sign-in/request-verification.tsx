import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { emailTags } from './email-tags.tsx'
import { InvalidLink } from './invalid-link.tsx'
import { MailSent } from './mail-sent.tsx'

type RequestVerificationProps = {
  /** Address of the signed-in user. */
  email: string
  /** The page was opened with a link that no longer works. */
  replacesLink: boolean
}

/** Emails the signed-in user a new link that verifies the address. */
export function RequestVerification({ email, replacesLink }: RequestVerificationProps) {
  const { t } = useMessages()
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')
  const [error, setError] = useState<string>()

  async function send() {
    if (state === 'busy') return
    setState('busy')
    setError(undefined)
    try {
      await createClient().account.requestEmailVerification.mutate()
      setState('sent')
    } catch (failure) {
      setError(errorText(t, failure, { TOO_MANY_REQUESTS: 'mailLinks.tooMany' }))
      setState('idle')
    }
  }

  if (state === 'sent')
    return (
      <MailSent text={t('verifyEmail.sent', { email })}>
        <p className="text-sm text-ink-soft">{t('verifyEmail.checkSpam')}</p>
      </MailSent>
    )
  const request = (
    <>
      {error && <Notice tone="error">{error}</Notice>}
      <p className="text-sm text-ink-soft">{t.rich('verifyEmail.requestText', emailTags(email))}</p>
      <Button variant="primary" busy={state === 'busy'} className="min-h-11 w-full" onClick={send}>
        {t(replacesLink ? 'mailLinks.sendNew' : 'verifyEmail.request')}
      </Button>
    </>
  )
  if (replacesLink) return <InvalidLink>{request}</InvalidLink>
  return (
    <div className="space-y-4">
      <CenteredTitle>{t('verifyEmail.title')}</CenteredTitle>
      {request}
    </div>
  )
}
