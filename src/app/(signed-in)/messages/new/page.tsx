import { getServices } from '../../../../server/wiring/services.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { ComposePage } from '../../../../ui/messages/compose/compose-page.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireUser } from '../../../session.ts'

export const generateMetadata = pageTitle('compose.title')

export default async function Page() {
  const user = await requireUser('/messages/new')
  if (!user) return <SignInAgain />
  const { push, pushApps } = await getServices()
  const [tokens, templates] = await Promise.all([
    user.role === 'admin' ? validTokens(user.id) : null,
    push.templates.list(user.id),
  ])
  return <ComposePage tokens={tokens} apps={pushApps.names} hasTemplates={templates.items.length > 0} />
}

/** Returns the push tokens of an administrator that can send now, newest first. */
async function validTokens(userId: string) {
  const { push, clock } = await getServices()
  const now = clock.now()
  const tokens = await push.tokens.list(userId)
  return tokens
    .filter(({ revokedAt, expiresAt }) => revokedAt === null && new Date(expiresAt) > now)
    .map(({ id, name, suffix, scopes }) => ({ id, name, suffix, scopes }))
}
