import { type Client, createClient } from '@pigeonhole/client'
import { createBrowserUploader, type Uploader } from '@pigeonhole/client/browser'
import { UserManager } from 'oidc-client-ts'

const PIGEONHOLE_URL: string = import.meta.env.VITE_PIGEONHOLE_URL ?? 'http://localhost:3000'
const OIDC_ISSUER: string = import.meta.env.VITE_OIDC_ISSUER ?? 'http://127.0.0.1:4000'

export const userManager = new UserManager({
  authority: OIDC_ISSUER,
  client_id: 'web',
  redirect_uri: `${location.origin}/`,
  scope: 'openid email profile',
})

export type Session = {
  name: string
  client: Client
  uploader: Uploader
  /** Returns the JWT for Pigeonhole and for the page's own backend. */
  token(): string
}

/** Returns the session of a user who has just returned from the provider or is still signed in, or null. */
export async function resumeSession(): Promise<Session | null> {
  const isReturning = new URLSearchParams(location.search).has('state')
  const user = isReturning ? await userManager.signinCallback() : await userManager.getUser()
  if (isReturning) history.replaceState(null, '', location.pathname)
  if (!user || user.expired) return null

  let token = user.access_token
  const client = createClient({ baseUrl: PIGEONHOLE_URL, token: () => token })
  // Unfinished uploads are stored per server and user.
  const uploader = createBrowserUploader(client, { scope: `${PIGEONHOLE_URL} ${user.profile.sub}` })
  userManager.events.addUserLoaded((renewed) => {
    token = renewed.access_token
    uploader.signedIn()
  })
  return { name: user.profile.name ?? user.profile.sub, client, uploader, token: () => token }
}
