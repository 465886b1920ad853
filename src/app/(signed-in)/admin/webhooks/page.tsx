import type { Metadata } from 'next'
import { WebhooksPage } from '../../../../ui/admin/webhooks/webhooks-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.webhooks.title') }
}

export default async function Page() {
  if (!(await requireAdmin('/admin/webhooks'))) return <SignInAgain />
  return <WebhooksPage />
}
