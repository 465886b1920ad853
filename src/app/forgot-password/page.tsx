import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getServices } from '../../server/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { BackToSignIn } from '../../ui/sign-in/back-to-sign-in.tsx'
import { ForgotPasswordForm } from '../../ui/sign-in/forgot-password-form.tsx'
import { requestWords } from '../locale.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('forgotPassword.title') }
}

export default async function Page() {
  const [{ config }, { t }] = await Promise.all([getServices(), requestWords()])
  if (!config.mail) notFound()
  return (
    <CenteredLayout title={t('forgotPassword.title')} footer={<BackToSignIn />}>
      <ForgotPasswordForm />
    </CenteredLayout>
  )
}
