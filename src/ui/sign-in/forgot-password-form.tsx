'use client'

import { createClient } from '@pigeonhole/client'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'
import { AccountForm } from './account-form.tsx'
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

  async function submit(fields: FormData) {
    const email = String(fields.get('email')).trim()
    try {
      await createClient().account.requestPasswordReset.mutate({ email })
      setSentTo(email)
      return undefined
    } catch (failure) {
      const expected = { BAD_REQUEST: 'signUp.emailInvalid', TOO_MANY_REQUESTS: 'mailLinks.tooMany' } as const
      return errorText(t, failure, expected)
    }
  }

  if (sentTo !== undefined)
    return (
      <MailSent
        text={t.rich('forgotPassword.sent', {
          address: sentTo,
          email: (text) => <strong className="font-medium break-words text-ink">{text}</strong>,
        })}
      >
        <Button className="min-h-11 w-full" onClick={() => setSentTo(undefined)}>
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
