import { getServices } from '../../../../server/wiring/services.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { SentPage } from '../../../../ui/messages/sent/sent-page.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export const generateMetadata = pageTitle('sent.title')

const FIRST_PAGE = 50

export default async function Page() {
  const user = await requireUser('/messages/sent')
  if (!user) return <SignInAgain />
  const { push } = await getServices()
  const { items, nextCursor } = await push.sentMessages.list(
    { id: user.id, isAdmin: user.role === 'admin' },
    { limit: FIRST_PAGE },
  )
  const messages = items.map((message) => ({ ...message, createdAt: message.createdAt.toISOString() }))
  return <SentPage initial={{ items: messages, nextCursor }} />
}
