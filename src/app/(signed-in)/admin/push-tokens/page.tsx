import type { AdminPushToken } from '@pigeonhole/client/admin'
import { listAllPushTokens } from '../../../../server/api/http/admin/push-tokens.ts'
import { TOKEN_FIELDS } from '../../../../ui/admin/push-tokens/push-token-filter.ts'
import { PushTokensPage } from '../../../../ui/admin/push-tokens/push-tokens-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { firstMatches, isUserId, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.pushTokens.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin('/admin/push-tokens'))) return <SignInAgain />
  const first = await firstMatches<AdminPushToken, (typeof TOKEN_FIELDS)[number]>(
    searchParams,
    TOKEN_FIELDS,
    listAllPushTokens,
    '/push-tokens',
    ({ user, status }) => (isUserId(user) ? { userId: user, status } : undefined),
  )
  return <PushTokensPage first={first} />
}
