// Calls next-auth's REST API (https://next-auth.js.org/getting-started/rest-api). next-auth's own client leaves the page
// when the network is unavailable, which would lose the uploads.

/** Signs in and sets the session cookie. Returns null, or an error code for `signInErrorKey`. Never throws. */
export const signInWithPassword = (email: string, password: string): Promise<string | null> =>
  postSignIn({ email, password })

/** Like `signInWithPassword`, with a recovery code. `password` is empty if the account has none. */
export async function signInWithRecoveryCode(
  email: string,
  password: string,
  recoveryCode: string,
): Promise<string | null> {
  const code = await postSignIn({ email, password, recoveryCode })
  return code === 'CredentialsSignin' ? 'RecoveryCodeRejected' : code
}

/** Posts the sign-in form: email and password, these and a recovery code, or a passkey. Never throws. */
export async function postSignIn(fields: Record<string, string>): Promise<string | null> {
  const response = await post('callback/credentials', fields)
  if (response === undefined) return 'Unreachable'
  if (response.status === 429) return 'TooManyRequests'
  return response.ok ? null : (errorOf(response.url) ?? 'Unknown')
}

/**
 * Returns the URL of the provider's sign-in page, which leads back to `next`, or null if it is unavailable. `mustAsk`
 * makes an OpenID provider ask the user even with an active session (OpenID Connect Core 1.0, 3.1.2.1).
 */
export async function providerSignInUrl(
  provider: string,
  next: string,
  { mustAsk = false } = {},
): Promise<string | null> {
  const query = mustAsk && provider === 'oidc' ? '?prompt=login' : ''
  const response = await post(`signin/${provider}${query}`, { callbackUrl: next })
  return response?.ok && !errorOf(response.url) ? (response.url ?? null) : null
}

/** Ends the session and removes its cookie. Returns false if the server cannot be reached. Never throws. */
export async function signOut(): Promise<boolean> {
  return (await post('signout', {}))?.ok ?? false
}

/** Renews the session cookie. Returns the user's ID, null if signed out, or undefined if the server is unreachable. */
export async function sessionUserId(): Promise<string | null | undefined> {
  const session = await request<{ user?: { id: string } }>('session')
  return session?.ok ? (session.body.user?.id ?? null) : undefined
}

type AuthResponse = { ok: boolean; status: number; url: string | undefined }

async function post(path: string, fields: Record<string, string>): Promise<AuthResponse | undefined> {
  const csrf = await request<{ csrfToken: string }>('csrf')
  if (!csrf?.ok) return undefined
  const body = new URLSearchParams({ ...fields, csrfToken: csrf.body.csrfToken, json: 'true' })
  const response = await request<{ url?: string }>(path, { method: 'POST', body })
  return response && { ok: response.ok, status: response.status, url: response.body.url }
}

async function request<T>(
  path: string,
  init?: RequestInit,
): Promise<{ ok: boolean; status: number; body: T } | undefined> {
  try {
    const response = await fetch(`/api/auth/${path}`, init)
    return { ok: response.ok, status: response.status, body: (await response.json()) as T }
  } catch {
    // No network, or a response that is not from the server, such as a proxy's error page.
    return undefined
  }
}

function errorOf(url: string | undefined): string | null {
  return (url && URL.parse(url, location.href)?.searchParams.get('error')) || null
}
