import type { Metadata } from 'next'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { ComposePage } from '../../../../ui/messages/compose/compose-page.tsx'
import { requestWords } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('compose.title') }
}

export default async function Page() {
  if (!(await requireUser('/messages/new'))) return <SignInAgain />
  return <ComposePage />
}
