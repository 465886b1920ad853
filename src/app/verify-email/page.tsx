import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getServices } from '../../server/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { VerifyEmail } from '../../ui/sign-in/verify-email.tsx'
import { requestWords } from '../locale.ts'
import { currentUser } from '../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('verifyEmail.title') }
}

export default async function Page() {
  const [{ config, emailLinks }, { t }, user] = await Promise.all([
    getServices(),
    requestWords(),
    currentUser(),
  ])
  if (!config.mail) notFound()
  const shown = user && { email: user.email, isProven: !(await emailLinks.mustVerify(user.id)) }
  return (
    <CenteredLayout title={t('verifyEmail.title')}>
      <VerifyEmail user={shown} />
    </CenteredLayout>
  )
}
