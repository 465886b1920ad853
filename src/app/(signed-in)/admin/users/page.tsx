import type { AdminUser } from '@pigeonhole/client/admin'
import { listUsers } from '../../../../server/api/http/admin/users.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { SORT_FIELDS, USER_FIELDS, userSearchOf } from '../../../../ui/admin/users/user-filter.ts'
import { UsersPage } from '../../../../ui/admin/users/users-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { addressOf, firstMatches, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.users.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin(await addressOf('/admin/users', searchParams)))) return <SignInAgain />
  const { config } = await getServices()
  const { uploads, mail } = config
  const first = await firstMatches<AdminUser, keyof typeof USER_FIELDS | 'sort'>(
    searchParams,
    { ...USER_FIELDS, ...SORT_FIELDS },
    listUsers,
    '/users',
    (filter) => ({ ...userSearchOf(filter), withTotal: 'true' }),
  )
  return (
    <UsersPage defaultQuotaBytes={uploads.defaultQuotaBytes} canInvite={mail !== undefined} first={first} />
  )
}
