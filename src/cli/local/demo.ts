import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from '../../server/trpc/router.ts'
import type { Secrets } from './secrets.ts'

export const DEMO_EMAIL = 'demo@example.com'

export type Demo = { userId: string; sessionToken: string; pushToken: string }

/**
 * Signs the demo user in and creates a push token, through the app's own API. Creates the user only on the first run,
 * since a new password would end its sessions.
 */
export async function prepareDemo(
  url: string,
  { demoPassword: password, adminSecret }: Secrets,
  createUser: () => Promise<void>,
): Promise<Demo> {
  let sessionToken = ''
  const client = createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url}/api/trpc`,
        headers: () => (sessionToken ? { authorization: `Bearer ${sessionToken}` } : {}),
      }),
    ],
  })
  const signIn = () => client.session.create.mutate({ email: DEMO_EMAIL, password })
  const session = await signIn().catch(async () => {
    await createUser()
    return signIn()
  })
  sessionToken = session.token

  const response = await fetch(`${url}/api/push/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: session.user.id, name: 'npm run local', expiresInDays: 7 }),
  })
  if (!response.ok)
    throw new Error(`POST /api/push/token answered ${response.status}: ${await response.text()}`)
  const { token } = (await response.json()) as { token: string }
  return { userId: session.user.id, sessionToken, pushToken: token }
}
