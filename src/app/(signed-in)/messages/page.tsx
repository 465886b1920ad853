import type { Metadata } from 'next'
import { getServices } from '../../../server/container.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { MessagesPage } from '../../../ui/messages/messages-page.tsx'
import { requestWords } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('messages.title') }
}

const FIRST_PAGE = 50

export default async function Page() {
  const user = await requireUser('/messages')
  if (!user) return <SignInAgain />
  const { push } = await getServices()
  const { items, nextCursor } = await push.inbox.list(user.id, { limit: FIRST_PAGE })
  const messages = items.map((message) => ({ ...message, createdAt: message.createdAt.toISOString() }))
  return <MessagesPage messages={{ items: messages, nextCursor }} />
}
