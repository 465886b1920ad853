import type { AuthorizationRequest } from './grants.ts'
import type { OidcClient } from './options.ts'

/**
 * `page`: show the error to the user, because the redirect URI is not trusted. `redirect`: send it to the application.
 */
export type Rejection = { page: string } | { redirect: string }

/**
 * Validates an authorization request of the code flow: OpenID Connect Core 1.0, 3.1.2.1, and RFC 9700 where it is
 * stricter.
 */
export function readAuthorizationRequest(
  params: URLSearchParams,
  clients: readonly OidcClient[],
  issuer: string,
): AuthorizationRequest | Rejection {
  for (const name of params.keys())
    if (params.getAll(name).length > 1) return { page: `${name} occurs more than once` }
  const client = clients.find(({ clientId }) => clientId === params.get('client_id'))
  if (!client) return { page: `Unknown client "${params.get('client_id')}"` }
  const redirectUri = params.get('redirect_uri') ?? ''
  if (!client.redirectUris.includes(redirectUri))
    return { page: `redirect_uri "${redirectUri}" is not registered for ${client.clientId}` }
  const state = params.get('state')
  const reject = (error: string, description: string): Rejection => ({
    redirect: redirectTo(redirectUri, { error, error_description: description, state, iss: issuer }),
  })
  if (params.get('response_type') !== 'code')
    return reject('unsupported_response_type', 'response_type must be code')
  const scope = (params.get('scope') ?? '').split(' ').filter(Boolean)
  if (!scope.includes('openid')) return reject('invalid_scope', 'scope must include openid')
  const codeChallenge = params.get('code_challenge')
  if (codeChallenge !== null && params.get('code_challenge_method') !== 'S256')
    return reject('invalid_request', 'code_challenge_method must be S256')
  if (codeChallenge === null && client.clientSecret === undefined)
    return reject('invalid_request', 'a public client must send a code_challenge (PKCE)')
  if (params.get('prompt') === 'none') return reject('login_required', 'this provider has no sessions')
  return { client, redirectUri, scope, state, nonce: params.get('nonce'), codeChallenge }
}

/** Adds the values, including `iss`, so that a client of several providers knows which one responds (RFC 9207). */
export function redirectTo(uri: string, values: Record<string, string | null>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(values)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}
