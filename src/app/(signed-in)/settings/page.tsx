import type { Metadata } from 'next'
import { getServices } from '../../../server/container.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { SettingsPage } from '../../../ui/settings/settings-page.tsx'
import { requestWords } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('settings.title') }
}

export default async function Page() {
  const user = await requireUser('/settings')
  if (!user) return <SignInAgain />
  const { push } = await getServices()
  const [{ items }, preferences] = await Promise.all([
    push.devices.list(user.id),
    push.preferences.get(user.id),
  ])
  const devices = items.map((device) => ({
    ...device,
    createdAt: device.createdAt.toISOString(),
    lastSeenAt: device.lastSeenAt.toISOString(),
  }))
  const hasWebPush = push.devices.webPushKey().publicKey !== null
  return <SettingsPage devices={{ items: devices }} preferences={preferences} hasWebPush={hasWebPush} />
}
