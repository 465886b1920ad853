import { notFound } from 'next/navigation'
import { getServices } from '../../server/wiring/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { BackToSignIn } from '../../ui/sign-in/back-to-sign-in.tsx'
import { ResetPassword } from '../../ui/sign-in/reset-password.tsx'
import { pageTitle } from '../locale.ts'

export const generateMetadata = pageTitle('resetPassword.title')

export default async function Page() {
  const { config } = await getServices()
  if (!config.mail) notFound()
  return (
    <CenteredLayout footer={<BackToSignIn />}>
      <ResetPassword />
    </CenteredLayout>
  )
}
