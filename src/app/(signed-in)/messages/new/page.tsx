import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { ComposePage } from '../../../../ui/messages/compose/compose-page.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export const generateMetadata = pageTitle('compose.title')

export default async function Page() {
  if (!(await requireUser('/messages/new'))) return <SignInAgain />
  return <ComposePage />
}
