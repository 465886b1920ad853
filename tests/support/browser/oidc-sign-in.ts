import type { HttpApp } from '../app/http-app.ts'
import type { OidcProvider, OidcUser } from '../emulators/oidc-provider.ts'
import { Browser } from './cookie-browser.ts'

/** Goes to the provider, which signs `user` in and sends the browser back to `callback`. */
export async function beginOidc(app: HttpApp, provider: OidcProvider, user: OidcUser, browser: Browser) {
  provider.user = user
  const { url } = await (await browser.postAuth(app.url, 'signin/oidc', { callbackUrl: '/files' })).json()
  const authorized = await fetch(url, { redirect: 'manual' })
  return { callback: authorized.headers.get('location')! }
}

/** Comes back from the provider; what the session says, and where the browser was sent. */
export async function finishOidc(app: HttpApp, callback: string, browser: Browser) {
  const location = (await browser.fetch(callback)).headers.get('location')!
  const end = location.includes('/api/auth/error')
    ? (await browser.fetch(location)).headers.get('location')!
    : location
  const session = await browser.session(app.url)
  const error = new URL(end, app.url).searchParams.get('error')
  return { user: session.user, error, location: end }
}

export async function signInWithOidc(
  app: HttpApp,
  provider: OidcProvider,
  user: OidcUser,
  browser = new Browser(),
) {
  const { callback } = await beginOidc(app, provider, user, browser)
  return finishOidc(app, callback, browser)
}
