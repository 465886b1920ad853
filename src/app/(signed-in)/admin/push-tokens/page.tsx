import type { AdminPushToken } from '@pigeonhole/client/admin'
import { listAllPushTokens } from '../../../../server/api/http/admin/push-tokens.ts'
import { TOKEN_FIELDS } from '../../../../ui/admin/push-tokens/push-token-filter.ts'
import { PushTokensPage } from '../../../../ui/admin/push-tokens/push-tokens-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { addressOf, findUserIdForPage, firstMatches, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.pushTokens.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin(await addressOf('/admin/push-tokens', searchParams)))) return <SignInAgain />
  const first = await firstMatches<AdminPushToken, keyof typeof TOKEN_FIELDS>(
    searchParams,
    TOKEN_FIELDS,
    listAllPushTokens,
    '/push-tokens',
    async ({ user, status }) => ({ userId: user && (await findUserIdForPage(user)), status }),
  )
  return <PushTokensPage first={first} />
}
