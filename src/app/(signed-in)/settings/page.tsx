import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { ProfileCard } from '../../../ui/settings/settings-sections.tsx'
import { pageTitle } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export const generateMetadata = pageTitle('settings.title')

/** The list of sections on phones, else the first section. */
export default async function Page() {
  if (!(await requireUser('/settings'))) return <SignInAgain />
  return (
    <div className="max-sm:hidden">
      <ProfileCard />
    </div>
  )
}
