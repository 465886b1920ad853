import { redirect } from 'next/navigation'
import { getServices } from '../../server/wiring/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { RegisterPasskey } from '../../ui/passkeys/register-passkey.tsx'
import { safeRedirectPath } from '../../ui/sign-in/safe-redirect-path.ts'
import { pageTitle, requestMessages } from '../locale.ts'
import { currentUser } from '../session.ts'

export const generateMetadata = pageTitle('passkeys.registerTitle')

/** For administrators whose session lacks the passkey that ADMIN_REQUIRE_PASSKEY asks for. */
export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ callbackUrl?: string | string[] }>
}) {
  const [query, user, { config, passkeys }, { t }] = await Promise.all([
    searchParams,
    currentUser(),
    getServices(),
    requestMessages(),
  ])
  const next = safeRedirectPath([query.callbackUrl].flat()[0], config.baseUrl)
  if (!user) redirect('/signin')
  if (!user.needsPasskey) redirect(next)
  const { items } = await passkeys.list(user.id)
  return (
    <CenteredLayout title={t('passkeys.registerTitle')}>
      <RegisterPasskey
        email={user.email}
        next={next}
        canRegister={items.length === 0 || user.method === 'recovery_code'}
      />
    </CenteredLayout>
  )
}
