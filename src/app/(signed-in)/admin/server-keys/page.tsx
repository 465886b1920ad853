import { ServerKeysPage } from '../../../../ui/admin/server-keys/server-keys-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.serverKeys.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/server-keys'))) return <SignInAgain />
  return <ServerKeysPage />
}
