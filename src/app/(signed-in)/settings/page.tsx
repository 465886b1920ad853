import { getServices } from '../../../server/container.ts'
import { SettingsPage } from '../../../ui/settings/settings-page.tsx'
import { requireUser } from '../../session.ts'

export const metadata = { title: 'Settings' }

export default async function Page() {
  const user = await requireUser('/settings')
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
  return <SettingsPage devices={{ items: devices }} preferences={preferences} />
}
