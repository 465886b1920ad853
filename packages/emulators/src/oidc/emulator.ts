import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveHttp } from '../serve-http.ts'
import { readAuthorizationRequest, redirectTo } from './authorization-request.ts'
import { type AuthorizationRequest, createGrants, type Grant } from './grants.ts'
import type { OidcClient, OidcOptions, OidcUser } from './options.ts'
import { html, json, type Reply, redirect, reply } from './reply.ts'
import { errorPage, signInPage } from './sign-in-page.ts'
import { createSigningKey, type SigningKey, signJwt } from './signing-keys.ts'

/** Faults of the provider, in effect until changed. */
export type OidcFaults = {
  /** Accepts requests and never responds. */
  hold: boolean
  /** Responds to every request with this status. */
  status: number | undefined
  /** Overrides claims of every ID token of the code flow; `undefined` omits one. */
  idToken: Record<string, unknown>
}

export type OidcEmulator = {
  issuer: string
  port: number
  /** The current signing key. */
  readonly key: SigningKey
  /** Signs a token. `claims` override `{ iss, aud: audience, iat, exp }`; `header` overrides `{ alg, kid, typ }`. */
  mint(claims: { sub: string } & Record<string, unknown>, header?: Record<string, unknown>): string
  /** Signs with a new key from now on. `withdraw` stops publishing the old keys. */
  rotateKey(options?: { withdraw?: boolean }): void
  faults: OidcFaults
  /** Paths of all requests in order, including rejected ones. */
  requestLog: string[]
  close(): Promise<void>
}

const MAX_FORM_BYTES = 16 * 1024

/**
 * Starts a local OpenID provider: discovery, key set, authorization code flow with PKCE, userinfo. Users sign in on its
 * page without a password. Access tokens are JWTs (RFC 9068).
 */
export async function startOidc(options: OidcOptions): Promise<OidcEmulator> {
  const { clients, users = [], audience, lifetimeSeconds = 300, algorithm = 'RS256' } = options
  const grants = createGrants()
  const waiting = new Map<string, AuthorizationRequest>()
  const accessTokens = new Map<string, Grant>()
  const requestLog: string[] = []
  const faults: OidcFaults = { hold: false, status: undefined, idToken: {} }
  let key = createSigningKey(algorithm)
  let published = [key]
  const origins = clients.flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin))

  const { port, close } = await serveHttp((request, response) => void handle(request, response), options)
  const issuer = `http://${options.host ?? '127.0.0.1'}:${port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    requestLog.push(url.pathname)
    if (faults.hold) return
    const { status, headers, body } =
      faults.status === undefined ? await respond(request, url) : reply(faults.status)
    response.writeHead(status, { ...corsHeaders(request), 'cache-control': 'no-store', ...headers }).end(body)
  }

  async function respond(request: IncomingMessage, url: URL): Promise<Reply> {
    const { authorization } = request.headers
    const route = `${request.method} ${url.pathname}`
    if (request.method === 'OPTIONS') return reply(204)
    if (route === 'GET /.well-known/openid-configuration') return json(200, metadata())
    if (route === 'GET /jwks') return json(200, { keys: published.map(({ jwk }) => jwk) })
    if (route === 'GET /authorize') return authorize(url.searchParams)
    if (route === 'GET /userinfo') return userinfo(authorization)
    if (route !== 'POST /sign-in' && route !== 'POST /token') return json(404, { error: 'not_found' })
    const form = await formOf(request)
    if (!form) return json(413, { error: 'invalid_request' })
    return route === 'POST /token' ? token(form, authorization) : signIn(form)
  }

  /** Allows pages of the applications, which redeem codes and read the key set themselves. */
  function corsHeaders({ headers: { origin } }: IncomingMessage): Record<string, string> {
    if (!origin || !origins.includes(origin)) return { vary: 'origin' }
    return {
      vary: 'origin',
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'authorization, content-type',
    }
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [algorithm],
      scopes_supported: ['openid', 'email', 'profile'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  function authorize(params: URLSearchParams): Reply {
    const read = readAuthorizationRequest(params, clients, issuer)
    if ('page' in read) return html(400, errorPage(read.page))
    if ('redirect' in read) return redirect(read.redirect)
    const id = randomBytes(16).toString('hex')
    waiting.set(id, read)
    return html(200, signInPage(read.client.clientId, users, id))
  }

  function signIn(form: URLSearchParams): Reply {
    const id = form.get('request') ?? ''
    const request = waiting.get(id)
    const user = userOf(form)
    if (!request || !user) return html(400, errorPage('This form has already been used. Start again.'))
    waiting.delete(id)
    const code = grants.create(request, user)
    return redirect(redirectTo(request.redirectUri, { code, state: request.state, iss: issuer }))
  }

  function userOf(form: URLSearchParams): OidcUser | undefined {
    const email = form.get('email')?.trim().toLowerCase()
    if (!email) return users.find(({ sub }) => sub === form.get('sub'))
    const known = users.find((user) => user.email === email)
    const sub = createHash('sha256').update(email).digest('hex').slice(0, 24)
    return known ?? { sub, email, email_verified: true, name: email.split('@')[0] }
  }

  function token(form: URLSearchParams, authorization: string | undefined): Reply {
    const client = authenticatedClient(form, authorization)
    if (!client) return json(401, { error: 'invalid_client' })
    if (form.get('grant_type') !== 'authorization_code') return json(400, { error: 'unsupported_grant_type' })
    const grant = grants.redeem(client, form)
    if (!grant) return json(400, { error: 'invalid_grant' })
    const { request, user, authTime } = grant
    const claims = claimsOf(grant)
    const accessToken = mint(
      {
        ...claims,
        client_id: client.clientId,
        scope: request.scope.join(' '),
        jti: randomBytes(16).toString('hex'),
      },
      { typ: 'at+jwt' },
    )
    accessTokens.set(accessToken, grant)
    const nonce = request.nonce === null ? {} : { nonce: request.nonce }
    return json(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: request.scope.join(' '),
      id_token: mint({
        ...claims,
        sub: user.sub,
        aud: client.clientId,
        auth_time: authTime,
        ...nonce,
        ...faults.idToken,
      }),
    })
  }

  /**
   * Authenticates a client by HTTP Basic or by the form; a public client by its ID. Rejects two methods at once (RFC
   * 6749, 2.3).
   */
  function authenticatedClient(form: URLSearchParams, authorization: string | undefined) {
    const basic = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (basic === undefined) return withSecret(form.get('client_id'), form.get('client_secret'))
    if (form.has('client_secret')) return undefined
    const [id, secret] = Buffer.from(basic, 'base64').toString().split(':').map(formDecoded)
    return withSecret(id ?? null, secret ?? null)
  }

  function withSecret(id: string | null, secret: string | null): OidcClient | undefined {
    const client = clients.find(({ clientId }) => clientId === id)
    if (client?.clientSecret === undefined) return secret === null ? client : undefined
    const hash = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(hash(client.clientSecret), hash(secret ?? '')) ? client : undefined
  }

  function userinfo(authorization: string | undefined): Reply {
    const grant = accessTokens.get(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '')
    if (grant && Date.now() / 1000 < grant.authTime + lifetimeSeconds) return json(200, claimsOf(grant))
    const { status, body, headers } = json(401, { error: 'invalid_token' })
    return { status, body, headers: { ...headers, 'www-authenticate': 'Bearer error="invalid_token"' } }
  }

  const mint: OidcEmulator['mint'] = (claims, header) => {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: issuer, aud: audience, iat: now, exp: now + lifetimeSeconds, ...claims }
    return signJwt(key, all, header)
  }

  return {
    issuer,
    port,
    get key() {
      return key
    },
    mint,
    rotateKey({ withdraw = false } = {}) {
      key = createSigningKey(algorithm)
      published = withdraw ? [key] : [key, ...published]
    },
    faults,
    requestLog,
    close,
  }
}

/** Returns the claims that the granted scopes allow (OpenID Connect Core 1.0, 5.4). */
function claimsOf({ user, request: { scope } }: Grant): OidcUser {
  const { sub, email, email_verified, name } = user
  return {
    sub,
    ...(scope.includes('email') && { email, email_verified }),
    ...(scope.includes('profile') && { name }),
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Reads a form. Returns null if it is too large. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size <= MAX_FORM_BYTES) chunks.push(chunk as Buffer)
  }
  return size > MAX_FORM_BYTES ? null : new URLSearchParams(Buffer.concat(chunks).toString())
}
