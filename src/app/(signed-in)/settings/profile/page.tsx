import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { ProfileCard } from '../../../../ui/settings/settings-sections.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export const generateMetadata = pageTitle('profile.title', 'settings.title')

export default async function Page() {
  if (!(await requireUser('/settings/profile'))) return <SignInAgain />
  return <ProfileCard />
}
