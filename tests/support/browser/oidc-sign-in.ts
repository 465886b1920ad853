// Signs in through an OpenID provider, like a browser that knows nothing about the app.

import { type OidcEmulator, type OidcUser, startOidc } from '@pigeonhole/emulators/oidc'
import { type HttpApp, startHttpApp } from '../app/http-app.ts'
import { Browser } from './cookie-browser.ts'

export type SignInProvider = OidcEmulator & {
  /** Adds an app whose users can sign in here, in addition to passwords. */
  startApp(env?: Record<string, string>): Promise<HttpApp>
  /** Sets what the provider returns about the user with this `sub` from now on. */
  know(user: OidcUser): void
}

export async function startSignInProvider(): Promise<SignInProvider> {
  const client = { clientId: 'pigeonhole', clientSecret: 'the client secret', redirectUris: [] as string[] }
  const users: OidcUser[] = []
  const oidc = await startOidc({ clients: [client], users, audience: 'nobody' })
  return {
    ...oidc,
    async startApp(env = {}) {
      const app = await startHttpApp({
        OIDC_ISSUER: oidc.issuer,
        OIDC_CLIENT_ID: client.clientId,
        OIDC_CLIENT_SECRET: client.clientSecret,
        ...env,
      })
      client.redirectUris.push(`${app.url}/api/auth/callback/oidc`)
      return app
    },
    know(user) {
      const known = users.findIndex(({ sub }) => sub === user.sub)
      users.splice(known < 0 ? users.length : known, 1, user)
    },
  }
}

/**
 * Goes to the provider, which signs `user` in and redirects the browser to `callback`. `asked` is what the app
 * requested.
 */
export async function beginOidc(app: HttpApp, provider: SignInProvider, user: OidcUser, browser: Browser) {
  provider.know(user)
  const { url } = await (await browser.postAuth(app.url, 'signin/oidc', { callbackUrl: '/files' })).json()
  const page = await (await fetch(url)).text()
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1]
  if (!request) throw new Error(`no sign-in page: ${page}`)
  const authorized = await fetch(`${provider.issuer}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ request, sub: user.sub }),
    redirect: 'manual',
  })
  return { callback: authorized.headers.get('location')!, asked: new URL(url).searchParams }
}

/** Returns from the provider. Resolves with the session and the final URL. */
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
  provider: SignInProvider,
  user: OidcUser,
  browser = new Browser(),
) {
  const { callback } = await beginOidc(app, provider, user, browser)
  return finishOidc(app, callback, browser)
}
