import { createTRPCClient, httpBatchLink, isTRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../server/api/trpc/router.ts'
import type { Secrets } from './secrets.ts'

export const DEMO_EMAIL = 'demo@example.com'

export type Demo = { userId: string; sessionToken: string; pushToken: string }

type DemoDeps = {
  /** Name of the push token. */
  tokenName: string
  /**
   * Makes the demo user an administrator, and creates the user if there is a password. Only the first run passes a
   * password, because a new one would end all sessions.
   */
  saveUser(password?: string): Promise<void>
  /** Called after too many wrong passwords, which the app counts for 15 minutes. */
  waitSeconds(seconds: number): Promise<unknown>
}

/** Signs the demo user in and creates a push token, with the app's API. */
export async function prepareDemo(
  url: string,
  { demoPassword: password, adminSecret }: Pick<Secrets, 'demoPassword' | 'adminSecret'>,
  { tokenName, saveUser, waitSeconds }: DemoDeps,
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
  async function signIn() {
    for (;;)
      try {
        return await client.session.create.mutate({ email: DEMO_EMAIL, password })
      } catch (error) {
        const seconds = isTRPCClientError<AppRouter>(error) && error.data?.retryAfterSeconds
        if (!seconds) throw error
        await waitSeconds(seconds)
      }
  }
  const session = await signIn().catch(async () => {
    await saveUser(password)
    return signIn()
  })
  sessionToken = session.token
  const authorization = `Bearer ${adminSecret}`
  const found = await fetch(`${url}/api/admin/users/${session.user.id}`, { headers: { authorization } })
  if (!found.ok) throw await unexpected('GET /api/admin/users', found)
  if (((await found.json()) as { role: string }).role !== 'admin') await saveUser()

  const response = await fetch(`${url}/api/push/token`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: session.user.id, name: tokenName, expiresInDays: 7 }),
  })
  if (!response.ok) throw await unexpected('POST /api/push/token', response)
  const { token } = (await response.json()) as { token: string }
  return { userId: session.user.id, sessionToken, pushToken: token }
}

const unexpected = async (what: string, response: Response) =>
  new Error(`${what} responded with ${response.status}: ${await response.text()}`)
