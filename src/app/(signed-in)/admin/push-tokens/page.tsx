import { PushTokensPage } from '../../../../ui/admin/push-tokens/push-tokens-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.pushTokens.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/push-tokens'))) return <SignInAgain />
  return <PushTokensPage />
}
