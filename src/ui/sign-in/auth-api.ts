// next-auth's REST API (https://next-auth.js.org/getting-started/rest-api). Its own client leaves the page when the
// network is away, and with the page the uploads would be lost.

/** Signs in, which sets the session cookie. Returns null, or an error code for `signInErrorKey`. Never throws. */
export async function signInWithPassword(email: string, password: string): Promise<string | null> {
  const answer = await post('callback/credentials', { email, password })
  if (answer === undefined) return 'Unreachable'
  if (answer.status === 429) return 'TooManyRequests'
  return answer.ok ? null : (errorOf(answer.url) ?? 'Unknown')
}

/** The page of the provider that signs the user in and then sends the browser to `next`; null: not available now. */
export async function providerSignInUrl(provider: string, next: string): Promise<string | null> {
  const answer = await post(`signin/${provider}`, { callbackUrl: next })
  return answer?.ok && !errorOf(answer.url) ? (answer.url ?? null) : null
}

/** Ends the session on the server and removes its cookie. False: the server could not be reached. Never throws. */
export async function signOut(): Promise<boolean> {
  return (await post('signout', {}))?.ok ?? false
}

/** Also renews the session cookie. The user's id; null: signed out; undefined: the server could not be reached. */
export async function sessionUserId(): Promise<string | null | undefined> {
  const session = await request<{ user?: { id: string } }>('session')
  return session?.ok ? (session.body.user?.id ?? null) : undefined
}

type Answer = { ok: boolean; status: number; url: string | undefined }

async function post(path: string, fields: Record<string, string>): Promise<Answer | undefined> {
  const csrf = await request<{ csrfToken: string }>('csrf')
  if (!csrf?.ok) return undefined
  const body = new URLSearchParams({ ...fields, csrfToken: csrf.body.csrfToken, json: 'true' })
  const answer = await request<{ url?: string }>(path, { method: 'POST', body })
  return answer && { ok: answer.ok, status: answer.status, url: answer.body.url }
}

async function request<T>(
  path: string,
  init?: RequestInit,
): Promise<{ ok: boolean; status: number; body: T } | undefined> {
  try {
    const response = await fetch(`/api/auth/${path}`, init)
    return { ok: response.ok, status: response.status, body: (await response.json()) as T }
  } catch {
    // No network, or an answer of something else than the server, such as a proxy's page.
    return undefined
  }
}

function errorOf(url: string | undefined): string | null {
  return (url && URL.parse(url, location.href)?.searchParams.get('error')) || null
}
