import { getServices } from '../../../../server/wiring/services.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { NotificationSettings } from '../../../../ui/settings/settings-sections.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'
import { withTimes } from '../with-times.ts'

export const generateMetadata = pageTitle('notifications.title', 'settings.title')

export default async function Page() {
  const user = await requireUser('/settings/notifications')
  if (!user) return <SignInAgain />
  const { push } = await getServices()
  const [devices, preferences, categories] = await Promise.all([
    push.devices.list(user.id),
    push.preferences.get(user.id),
    push.inbox.categories(user.id),
  ])
  return (
    <NotificationSettings
      devices={{ items: devices.items.map(withTimes) }}
      preferences={preferences}
      categories={categories}
      hasWebPush={push.devices.webPushKey().publicKey !== null}
    />
  )
}
