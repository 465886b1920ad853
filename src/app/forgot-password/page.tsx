import { notFound } from 'next/navigation'
import { getServices } from '../../server/wiring/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { BackToSignIn } from '../../ui/sign-in/back-to-sign-in.tsx'
import { ForgotPasswordForm } from '../../ui/sign-in/forgot-password-form.tsx'
import { pageTitle } from '../locale.ts'

export const generateMetadata = pageTitle('forgotPassword.title')

export default async function Page() {
  const { config } = await getServices()
  if (!config.mail) notFound()
  return (
    <CenteredLayout footer={<BackToSignIn />}>
      <ForgotPasswordForm />
    </CenteredLayout>
  )
}
