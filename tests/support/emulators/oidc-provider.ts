// A small OpenID Connect provider on loopback, strict where the code flow is: client secret, redirect URI,
// one-time codes, PKCE. Signs in whoever the test says, without asking.

import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type OidcUser = { sub: string; email?: string; email_verified?: boolean | string; name?: string }

export type OidcProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Who signs in next. */
  user: OidcUser
  /** Changes what the next ID token says, after everything else. */
  tamper: (claims: Record<string, unknown>) => Record<string, unknown>
  /** The email is told at the userinfo endpoint only. */
  userinfoOnly: boolean
  /** Parameters of the last authorization request. */
  lastRequest: URLSearchParams
  close(): Promise<void>
}

type Grant = { params: URLSearchParams; user: OidcUser }

export async function startOidcProvider(): Promise<OidcProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const grants = new Map<string, Grant>()
  const users = new Map<string, OidcUser>()
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: OidcProvider = {
    issuer,
    clientId: 'pigeonhole',
    clientSecret: 'the client secret',
    user: { sub: 'nobody' },
    tamper: (claims) => claims,
    userinfoOnly: false,
    lastRequest: new URLSearchParams(),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return provider

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/.well-known/openid-configuration') return void json(metadata())
    if (url.pathname === '/jwks')
      return void json({
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }],
      })
    if (url.pathname === '/authorize') return void authorize(url, response)
    if (url.pathname === '/userinfo') {
      const user = users.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
      return void (user ? json(user) : json({ error: 'invalid_token' }, 401))
    }
    if (url.pathname === '/token') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      const tokens = redeem(form, request.headers.authorization)
      return void (tokens ? json(tokens) : json({ error: 'invalid_grant' }, 400))
    }
    json({ error: 'not_found' }, 404)
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
  }

  function authorize(url: URL, response: ServerResponse): void {
    provider.lastRequest = url.searchParams
    const code = randomUUID()
    grants.set(code, { params: url.searchParams, user: provider.user })
    const back = new URL(url.searchParams.get('redirect_uri') ?? issuer)
    back.searchParams.set('code', code)
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    response.writeHead(302, { location: back.href }).end()
  }

  function redeem(form: URLSearchParams, authorization: string | undefined) {
    const encode = encodeURIComponent
    const basic = Buffer.from(`${provider.clientId}:${encode(provider.clientSecret).replaceAll('%20', '+')}`)
    if (authorization !== `Basic ${basic.toString('base64')}`) return null
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    if (!grant || form.get('redirect_uri') !== grant.params.get('redirect_uri')) return null
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (challenge !== grant.params.get('code_challenge')) return null
    const accessToken = randomUUID()
    users.set(accessToken, grant.user)
    const now = Math.floor(Date.now() / 1000)
    const { sub } = grant.user
    const claims = provider.tamper({
      ...(provider.userinfoOnly ? { sub } : grant.user),
      iss: issuer,
      aud: provider.clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.params.get('nonce'),
    })
    return { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: jwt(claims) }
  }

  function jwt(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const input = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`
    return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`
  }
}
