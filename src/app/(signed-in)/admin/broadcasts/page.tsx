import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { listBroadcasts } from '../../../../server/api/http/admin/broadcasts.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { BROADCAST_FIELDS } from '../../../../ui/admin/broadcasts/broadcast-filter.ts'
import { BroadcastsPage } from '../../../../ui/admin/broadcasts/broadcasts-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { addressOf, firstMatches, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.broadcasts.title')

/** Push tokens that the filter offers, the newest. */
const MAX_TOKENS = 100

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin(await addressOf('/admin/broadcasts', searchParams)))) return <SignInAgain />
  const first = await firstMatches<AdminBroadcast, keyof typeof BROADCAST_FIELDS>(
    searchParams,
    BROADCAST_FIELDS,
    listBroadcasts,
    '/broadcasts',
    (filter) => filter,
  )
  const { push } = await getServices()
  const { items } = await push.tokens.listAll({ limit: MAX_TOKENS })
  const tokens = items.map(({ id, name, suffix }) => ({ id, name, suffix }))
  return <BroadcastsPage tokens={tokens} first={first} />
}
