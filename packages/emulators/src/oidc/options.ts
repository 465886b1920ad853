import type { Algorithm } from './signing-keys.ts'

/** Registered application. */
export type OidcClient = {
  clientId: string
  /** Undefined for a public client (browser, phone), which must use PKCE. */
  clientSecret?: string
  /** Compared exactly. */
  redirectUris: string[]
}

/** Claims of a user who can sign in. */
export type OidcUser = { sub: string; email?: string; email_verified?: boolean; name?: string }

export type OidcOptions = {
  /** Default: 0, a free port. */
  port?: number
  /** Default: 127.0.0.1. */
  host?: string
  clients: OidcClient[]
  /** Users that the sign-in page offers. All others can type an email there. */
  users?: OidcUser[]
  /** `aud` of the access tokens: the API that they are for. */
  audience: string
  /** Lifetime of ID and access tokens. Default: 300. */
  lifetimeSeconds?: number
  /** Default: RS256, which every OpenID provider must support. */
  algorithm?: Algorithm
}
