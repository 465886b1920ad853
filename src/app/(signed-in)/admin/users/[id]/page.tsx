import { getServices } from '../../../../../server/wiring/services.ts'
import { UserPage } from '../../../../../ui/admin/users/user-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }> }

export const generateMetadata = pageTitle('admin.users.one')

export default async function Page({ params }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(`/admin/users/${id}`))) return <SignInAgain />
  const { config } = await getServices()
  const { uploads, mail } = config
  return <UserPage id={id} defaultQuotaBytes={uploads.defaultQuotaBytes} canMail={mail !== undefined} />
}
