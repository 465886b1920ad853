import type { AdminBroadcast, AdminPage } from '@pigeonhole/client/admin'
import { listBroadcasts } from '../../../../server/api/http/admin/broadcasts.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { BroadcastsPage } from '../../../../ui/admin/broadcasts/broadcasts-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.broadcasts.title')

/** Push tokens that the filter offers, the newest. */
const MAX_TOKENS = 100

type PageProps = { searchParams: Promise<{ pushTokenId?: string | string[] }> }

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/broadcasts'))) return <SignInAgain />
  const { pushTokenId } = await searchParams
  const token = typeof pushTokenId === 'string' ? pushTokenId : undefined
  const query = token === undefined ? '' : `?${new URLSearchParams({ pushTokenId: token })}`
  const first = await adminCall<AdminPage<AdminBroadcast>>(listBroadcasts, `/broadcasts${query}`)
  const { push } = await getServices()
  const { items } = await push.tokens.listAll({ limit: MAX_TOKENS })
  const tokens = items.map(({ id, name, suffix }) => ({ id, name, suffix }))
  return <BroadcastsPage pushTokenId={token} tokens={tokens} first={first} />
}
