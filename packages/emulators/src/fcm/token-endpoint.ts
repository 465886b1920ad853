import { createPublicKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSignedRs256, parseJws } from '../gateway/jws.ts'
import { serveHttp } from '../serve-http.ts'
import type { AccessTokens } from './access-tokens.ts'

/** Service account that can request tokens with a signed assertion. */
export type ServiceAccount = {
  clientEmail: string
  /** Public key (PEM, SPKI) of its RSA key. */
  publicKey: string
}

export type TokenEndpointOptions = {
  port?: number
  /** Audience that `external_account` credentials must name. */
  audience: string
  /** Subject token that the credentials must present. */
  subjectToken: string
  serviceAccounts: readonly ServiceAccount[]
}

export type TokenEndpoint = {
  readonly url: string
  /** Counts of token requests. */
  readonly counts: { granted: number; rejected: number }
  /** Status of every response while set (503: the sender's tokens expire). Null: no fault. */
  failWith: number | null
  close(): Promise<void>
}

class OAuthError extends Error {
  readonly code: string

  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const SUBJECT_TYPES = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token']
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'
const MAX_ASSERTION_SECONDS = 3600

/**
 * Opens `POST /token` on 127.0.0.1, plain HTTP. Supports token exchange (RFC 8693, `token_url` of `external_account`
 * credentials) and the JWT bearer grant (RFC 7523, service accounts). Errors follow RFC 6749, 5.2.
 */
export async function openTokenEndpoint(
  options: TokenEndpointOptions,
  tokens: AccessTokens,
): Promise<TokenEndpoint> {
  const { port, close } = await serveHttp((request, response) => void serve(request, response), options)
  const endpoint: TokenEndpoint = {
    url: `http://127.0.0.1:${port}/token`,
    counts: { granted: 0, rejected: 0 },
    failWith: null,
    close,
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const form = await formOf(request)
      if (endpoint.failWith !== null) {
        endpoint.counts.rejected++
        send(response, endpoint.failWith, { error: 'temporarily_unavailable' })
        return
      }
      send(response, 200, granted(form))
      endpoint.counts.granted++
    } catch (error) {
      endpoint.counts.rejected++
      const code = error instanceof OAuthError ? error.code : 'invalid_request'
      send(response, 400, {
        error: code,
        error_description: error instanceof Error ? error.message : String(error),
      })
    }
  }

  function granted(form: URLSearchParams): object {
    const grantType = form.get('grant_type')
    const scope =
      grantType === EXCHANGE
        ? exchangedScope(form, options)
        : grantType === JWT_BEARER
          ? assertedScope(form, options, endpoint.url)
          : null
    if (scope === null) throw new OAuthError('unsupported_grant_type', `Unsupported grant type: ${grantType}`)
    const { token, expiresInSeconds } = tokens.issue(scope)
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      ...(grantType === EXCHANGE ? { issued_token_type: ACCESS_TOKEN } : {}),
    }
  }

  return endpoint
}

function exchangedScope(form: URLSearchParams, options: TokenEndpointOptions): string {
  if (form.get('audience') !== options.audience) throw new OAuthError('invalid_target', 'Unknown audience.')
  if (form.get('requested_token_type') !== ACCESS_TOKEN) {
    throw new OAuthError('invalid_request', 'requested_token_type must be an access token.')
  }
  if (!SUBJECT_TYPES.includes(form.get('subject_token_type') ?? '')) {
    throw new OAuthError('invalid_request', 'Invalid value for subject_token_type.')
  }
  if (form.get('subject_token')?.trim() !== options.subjectToken) {
    throw new OAuthError('invalid_grant', 'The subject token is not valid.')
  }
  return form.get('scope') ?? ''
}

function assertedScope(form: URLSearchParams, options: TokenEndpointOptions, ownUrl: string): string {
  const jws = parseJws(form.get('assertion') ?? '')
  if (jws?.header.alg !== 'RS256') throw new OAuthError('invalid_grant', 'Invalid JWT.')
  const { iss, aud, exp, iat, scope } = jws.claims
  const account = options.serviceAccounts.find((known) => known.clientEmail === iss)
  if (!account) throw new OAuthError('invalid_grant', 'Invalid grant: account not found')
  if (!isSignedRs256(jws, createPublicKey(account.publicKey))) {
    throw new OAuthError('invalid_grant', 'Invalid JWT Signature.')
  }
  if (aud !== GOOGLE_TOKEN_URL && aud !== ownUrl)
    throw new OAuthError('invalid_grant', 'Invalid JWT audience.')
  const now = Date.now() / 1000
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp < now || exp - iat > MAX_ASSERTION_SECONDS) {
    throw new OAuthError('invalid_grant', 'Invalid JWT: Token must be a short-lived token (60 minutes).')
  }
  return typeof scope === 'string' ? scope : ''
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.method !== 'POST') throw new OAuthError('invalid_request', 'Must be POST.')
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    throw new OAuthError('invalid_request', 'Must be application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(body))
}
