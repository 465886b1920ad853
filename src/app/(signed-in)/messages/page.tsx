import { getServices } from '../../../server/wiring/services.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { InboxPage } from '../../../ui/messages/inbox/inbox-page.tsx'
import { pageTitle } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export const generateMetadata = pageTitle('messages.title')

const FIRST_PAGE = 50

export default async function Page() {
  const user = await requireUser('/messages')
  if (!user) return <SignInAgain />
  const { push } = await getServices()
  const [{ items, nextCursor }, preferences] = await Promise.all([
    push.inbox.list(user.id, { limit: FIRST_PAGE }),
    push.preferences.get(user.id),
  ])
  const messages = items.map((message) => ({ ...message, createdAt: message.createdAt.toISOString() }))
  return <InboxPage initial={{ items: messages, nextCursor }} preferences={preferences} />
}
