import { getServices } from '../../../server/wiring/services.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { TrashPage } from '../../../ui/trash/trash-page.tsx'
import { pageTitle } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export const generateMetadata = pageTitle('trash.title')

const FIRST_PAGE = 50

export default async function Page() {
  const user = await requireUser('/trash')
  if (!user) return <SignInAgain />
  const { uploads } = await getServices()
  return <TrashPage files={await uploads.trash(user.id, { limit: FIRST_PAGE })} />
}
