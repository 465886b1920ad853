'use client'

import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { AccountForm } from './account-form.tsx'
import { emailTags } from './email-tags.tsx'
import { InvalidLink } from './invalid-link.tsx'
import { MailSent } from './mail-sent.tsx'

type ForgotPasswordFormProps = {
  /** The page was opened with a link that no longer works. */
  replacesLink?: boolean
}

/** Requests a link that sets a new password. The confirmation does not reveal whether the account exists. */
export function ForgotPasswordForm({ replacesLink = false }: ForgotPasswordFormProps) {
  const { t } = useMessages()
  const [sentTo, setSentTo] = useState<string>()
  const [again, setAgain] = useState<'idle' | 'busy' | 'sent'>('idle')
  const [error, setError] = useState<string>()

  async function send(email: string): Promise<string | undefined> {
    try {
      await createClient().account.requestPasswordReset.mutate({ email })
      return undefined
    } catch (failure) {
      const expected = { BAD_REQUEST: 'signUp.emailInvalid', TOO_MANY_REQUESTS: 'mailLinks.tooMany' } as const
      return errorText(t, failure, expected)
    }
  }

  async function submit(fields: FormData) {
    const email = String(fields.get('email')).trim()
    const failure = await send(email)
    if (failure === undefined) setSentTo(email)
    return failure
  }

  async function sendAgain(email: string) {
    if (again === 'busy') return
    setAgain('busy')
    const failure = await send(email)
    setError(failure)
    setAgain(failure === undefined ? 'sent' : 'idle')
  }

  if (sentTo !== undefined)
    return (
      <MailSent text={t.rich('forgotPassword.sent', emailTags(sentTo))}>
        {/* Says nothing about accounts, because the page must not reveal them. */}
        <section className="space-y-1 rounded-lg bg-sunken p-4 text-sm forced-colors:border">
          <h2 className="font-medium">{t('forgotPassword.nothingTitle')}</h2>
          <ul className="list-disc space-y-1 pl-5 text-ink-soft">
            <li>{t('forgotPassword.nothingSpam')}</li>
            <li>{t('forgotPassword.nothingAddress')}</li>
          </ul>
        </section>
        {error && <Notice tone="error">{error}</Notice>}
        <p role="status" className="text-sm text-accent empty:hidden">
          {again === 'sent' && t('forgotPassword.sentAgain')}
        </p>
        <Button busy={again === 'busy'} className="min-h-11 w-full" onClick={() => sendAgain(sentTo)}>
          {t('forgotPassword.again')}
        </Button>
        <Button
          variant="ghost"
          className="min-h-11 w-full"
          onClick={() => {
            setSentTo(undefined)
            setAgain('idle')
            setError(undefined)
          }}
        >
          {t('forgotPassword.another')}
        </Button>
      </MailSent>
    )
  const form = (
    <AccountForm
      label={t(replacesLink ? 'mailLinks.sendNew' : 'forgotPassword.submit')}
      busyLabel={t('forgotPassword.submitting')}
      onSubmit={submit}
      intro={<p className="text-sm text-ink-soft">{t('forgotPassword.text')}</p>}
    >
      <EmailField autoFocus />
    </AccountForm>
  )
  if (replacesLink) return <InvalidLink>{form}</InvalidLink>
  return (
    <>
      <CenteredTitle>{t('forgotPassword.title')}</CenteredTitle>
      {form}
    </>
  )
}
