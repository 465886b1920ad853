import { WebhooksPage } from '../../../../ui/admin/webhooks/webhooks-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.webhooks.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/webhooks'))) return <SignInAgain />
  return <WebhooksPage />
}
