import { WebhookPage } from '../../../../../ui/admin/webhooks/webhook-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { addressOf, type SearchParams } from '../../../../admin-call.ts'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }>; searchParams: SearchParams }

export const generateMetadata = pageTitle('admin.webhooks.one')

export default async function Page({ params, searchParams }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(await addressOf(`/admin/webhooks/${id}`, searchParams)))) return <SignInAgain />
  return <WebhookPage id={id} />
}
