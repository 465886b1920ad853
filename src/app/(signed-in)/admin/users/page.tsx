import type { Metadata } from 'next'
import { getServices } from '../../../../server/services.ts'
import { UsersPage } from '../../../../ui/admin/users/users-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.users.title') }
}

export default async function Page() {
  if (!(await requireAdmin('/admin/users'))) return <SignInAgain />
  const { config } = await getServices()
  const { uploads, mail } = config
  return <UsersPage defaultQuotaBytes={uploads.defaultQuotaBytes} canInvite={mail !== undefined} />
}
