import { getServices } from '../../../server/wiring/services.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { InboxPage } from '../../../ui/messages/inbox/inbox-page.tsx'
import { parseCategory } from '../../../ui/messages/inbox/parse-category.ts'
import { pageTitle } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export const generateMetadata = pageTitle('messages.title')

const FIRST_PAGE = 50

type PageProps = { searchParams: Promise<{ category?: string | string[] }> }

export default async function Page({ searchParams }: PageProps) {
  const user = await requireUser('/messages')
  if (!user) return <SignInAgain />
  const category = parseCategory((await searchParams).category)
  const { push } = await getServices()
  const [{ items, nextCursor }, categories, preferences] = await Promise.all([
    push.inbox.list(user.id, { limit: FIRST_PAGE, category: category ?? undefined }),
    push.inbox.categories(user.id),
    push.preferences.get(user.id),
  ])
  const messages = items.map((message) => ({ ...message, createdAt: message.createdAt.toISOString() }))
  return (
    <InboxPage
      initial={{ items: messages, nextCursor }}
      initialCategory={category}
      categories={categories}
      preferences={preferences}
      hasWebPush={push.devices.webPushKey().publicKey !== null}
    />
  )
}
