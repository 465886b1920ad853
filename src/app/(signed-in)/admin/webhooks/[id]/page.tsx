import { WebhookPage } from '../../../../../ui/admin/webhooks/webhook-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }> }

export const generateMetadata = pageTitle('admin.webhooks.one')

export default async function Page({ params }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(`/admin/webhooks/${id}`))) return <SignInAgain />
  return <WebhookPage id={id} />
}
