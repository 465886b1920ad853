import { getServices } from '../../../server/wiring/services.ts'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { SettingsPage } from '../../../ui/settings/settings-page.tsx'
import { pageTitle } from '../../locale.ts'
import { requireUser } from '../../session.ts'

export const generateMetadata = pageTitle('settings.title')

export default async function Page() {
  const user = await requireUser('/settings')
  if (!user) return <SignInAgain />
  const { push, sessions, apiKeys, passkeys } = await getServices()
  const [devices, preferences, categories, signedIn, keys, passkeyList] = await Promise.all([
    push.devices.list(user.id),
    push.preferences.get(user.id),
    push.inbox.categories(user.id),
    sessions.list(user.id, user.sessionId),
    apiKeys.list(user.id),
    passkeys.list(user.id),
  ])
  return (
    <SettingsPage
      devices={{ items: devices.items.map(withTimes) }}
      preferences={preferences}
      categories={categories}
      sessions={{ items: signedIn.items.map(withTimes) }}
      passkeys={{ ...passkeyList, items: passkeyList.items.map(passkeyWithTimes) }}
      apiKeys={{ items: keys.items.map(keyWithTimes) }}
      hasWebPush={push.devices.webPushKey().publicKey !== null}
    />
  )
}

/** Returns the item with its times as ISO 8601 texts, as in API responses. */
function withTimes<T extends { createdAt: Date; lastSeenAt: Date }>(item: T) {
  return { ...item, createdAt: item.createdAt.toISOString(), lastSeenAt: item.lastSeenAt.toISOString() }
}

function keyWithTimes<T extends { createdAt: Date; expiresAt: Date; lastUsedAt: Date | null }>(key: T) {
  return {
    ...key,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  }
}

function passkeyWithTimes<T extends { createdAt: Date; lastUsedAt: Date | null }>(passkey: T) {
  const { createdAt, lastUsedAt } = passkey
  return {
    ...passkey,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
