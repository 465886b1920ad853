import { redirect } from 'next/navigation'
import { getServices } from '../../server/wiring/services.ts'
import { TextLink } from '../../ui/components/text-link.tsx'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { SignUpForm } from '../../ui/sign-in/sign-up-form.tsx'
import { pageTitle, requestMessages } from '../locale.ts'
import { currentUser } from '../session.ts'

export const generateMetadata = pageTitle('signUp.title')

export default async function Page() {
  const [{ config }, { t }] = await Promise.all([getServices(), requestMessages()])
  if (await currentUser()) redirect('/')
  const footer = t.rich('signUp.haveAccount', {
    link: (text) => <TextLink href="/signin">{text}</TextLink>,
  })
  if (!config.allowSignUp)
    return (
      <CenteredLayout title={t('signUp.closedTitle')} footer={footer}>
        <p className="text-sm text-ink-soft">{t('signUp.closed')}</p>
      </CenteredLayout>
    )
  return (
    <CenteredLayout title={t('signUp.title')} footer={footer}>
      <SignUpForm />
    </CenteredLayout>
  )
}
