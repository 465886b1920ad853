import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { getServices } from '../../server/container.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { ForgotPasswordForm } from '../../ui/sign-in/forgot-password-form.tsx'
import { requestWords } from '../locale.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('forgotPassword.title') }
}

export default async function Page() {
  const [{ config }, { t }] = await Promise.all([getServices(), requestWords()])
  if (!config.mail) notFound()
  const footer = t.rich('forgotPassword.back', {
    link: (text) => (
      <Link href="/signin" className="font-medium text-accent underline underline-offset-2">
        {text}
      </Link>
    ),
  })
  return (
    <CenteredLayout title={t('forgotPassword.title')} footer={footer}>
      <ForgotPasswordForm />
    </CenteredLayout>
  )
}
