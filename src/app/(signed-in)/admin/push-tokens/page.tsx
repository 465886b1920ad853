import type { Metadata } from 'next'
import { PushTokensPage } from '../../../../ui/admin/push-tokens/push-tokens-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.pushTokens.title') }
}

export default async function Page() {
  if (!(await requireAdmin('/admin/push-tokens'))) return <SignInAgain />
  return <PushTokensPage />
}
