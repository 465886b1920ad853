import type { AdminPage, AdminPushToken } from '@pigeonhole/client/admin'
import { listAllPushTokens } from '../../../../server/api/http/admin/push-tokens.ts'
import { PushTokensPage } from '../../../../ui/admin/push-tokens/push-tokens-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.pushTokens.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/push-tokens'))) return <SignInAgain />
  const first = await adminCall<AdminPage<AdminPushToken>>(listAllPushTokens, '/push-tokens')
  return <PushTokensPage first={first} />
}
