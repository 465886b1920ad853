import { createClient } from '@pigeonhole/client'
import { createBrowserUploader } from '@pigeonhole/client/browser'
import { createPushDevice } from '@pigeonhole/client/push'

const baseUrl: string = import.meta.env.VITE_PIGEONHOLE_URL ?? 'http://localhost:3000'
const TOKEN = 'token'

/** An app of your own gets a user token from its backend instead. */
export const client = createClient({ baseUrl, token: () => sessionStorage.getItem(TOKEN) ?? undefined })
export const uploader = createBrowserUploader(client)
export const pushDevice = createPushDevice({ client })

export const isSignedIn = () => sessionStorage.getItem(TOKEN) !== null

export async function signIn(email: string, password: string): Promise<void> {
  const { token } = await client.session.create.mutate({ email, password })
  sessionStorage.setItem(TOKEN, token)
}
