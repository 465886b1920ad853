import { notFound } from 'next/navigation'
import { getServices } from '../../server/wiring/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { VerifyEmail } from '../../ui/sign-in/verify-email.tsx'
import { pageTitle } from '../locale.ts'
import { currentUser } from '../session.ts'

export const generateMetadata = pageTitle('verifyEmail.title')

export default async function Page() {
  const [{ config, emailLinks }, user] = await Promise.all([getServices(), currentUser()])
  if (!config.mail) notFound()
  const shown = user && { email: user.email, isEmailVerified: !(await emailLinks.mustVerify(user.id)) }
  return (
    <CenteredLayout>
      <VerifyEmail user={shown} />
    </CenteredLayout>
  )
}
