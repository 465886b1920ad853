import { getServices } from '../../../server/container.ts'
import { MessagesPage } from '../../../ui/messages/messages-page.tsx'
import { requireUser } from '../../session.ts'

export const metadata = { title: 'Messages' }

const FIRST_PAGE = 50

export default async function Page() {
  const user = await requireUser('/messages')
  const { push } = await getServices()
  const { items, nextCursor } = await push.inbox.list(user.id, { limit: FIRST_PAGE })
  const messages = items.map((message) => ({ ...message, createdAt: message.createdAt.toISOString() }))
  return <MessagesPage messages={{ items: messages, nextCursor }} />
}
