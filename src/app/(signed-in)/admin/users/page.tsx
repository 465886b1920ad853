import type { AdminPage, AdminUser } from '@pigeonhole/client/admin'
import { listUsers } from '../../../../server/api/http/admin/users.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { UsersPage } from '../../../../ui/admin/users/users-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.users.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/users'))) return <SignInAgain />
  const { config } = await getServices()
  const { uploads, mail } = config
  const first = await adminCall<AdminPage<AdminUser>>(listUsers, '/users?withTotal=true')
  return (
    <UsersPage defaultQuotaBytes={uploads.defaultQuotaBytes} canInvite={mail !== undefined} first={first} />
  )
}
