import type { ServerKey } from '@pigeonhole/client/admin'
import { listServerKeys } from '../../../../server/api/http/admin/server-keys.ts'
import { ServerKeysPage } from '../../../../ui/admin/server-keys/server-keys-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.serverKeys.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/server-keys'))) return <SignInAgain />
  const first = await adminCall<{ items: ServerKey[] }>(listServerKeys, '/server-keys')
  return <ServerKeysPage first={first} />
}
