import { getServices } from '../../../../server/wiring/services.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { SecuritySettings } from '../../../../ui/settings/settings-sections.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'
import { withTimes } from '../with-times.ts'

export const generateMetadata = pageTitle('settings.security', 'settings.title')

export default async function Page() {
  const user = await requireUser('/settings/security')
  if (!user) return <SignInAgain />
  const { sessions, passkeys } = await getServices()
  const [signedIn, passkeyList] = await Promise.all([
    sessions.list(user.id, user.sessionId),
    passkeys.list(user.id),
  ])
  return (
    <SecuritySettings
      sessions={{ items: signedIn.items.map(withTimes) }}
      passkeys={{ ...passkeyList, items: passkeyList.items.map(passkeyWithTimes) }}
    />
  )
}

function passkeyWithTimes<T extends { createdAt: Date; lastUsedAt: Date | null }>(passkey: T) {
  const { createdAt, lastUsedAt } = passkey
  return {
    ...passkey,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
