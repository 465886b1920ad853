import { getServices } from '../../../../server/wiring/services.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { ApiKeysCard } from '../../../../ui/settings/settings-sections.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export const generateMetadata = pageTitle('apiKeys.title', 'settings.title')

export default async function Page() {
  const user = await requireUser('/settings/api-keys')
  if (!user) return <SignInAgain />
  const { apiKeys } = await getServices()
  const { items } = await apiKeys.list(user.id)
  return <ApiKeysCard initial={{ items: items.map(keyWithTimes) }} />
}

function keyWithTimes<T extends { createdAt: Date; expiresAt: Date; lastUsedAt: Date | null }>(key: T) {
  return {
    ...key,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  }
}
