import type { Webhook } from '@pigeonhole/client/admin'
import { listWebhooks } from '../../../../server/api/http/admin/webhooks.ts'
import { WebhooksPage } from '../../../../ui/admin/webhooks/webhooks-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.webhooks.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/webhooks'))) return <SignInAgain />
  const first = await adminCall<{ items: Webhook[] }>(listWebhooks, '/webhooks')
  return <WebhooksPage first={first} />
}
