import type { Algorithm } from './signing-keys.ts'

/** A registered application. */
export type OidcClient = {
  clientId: string
  /** Undefined: a public client (browser, phone), which has to use PKCE. */
  clientSecret?: string
  /** Compared to the character. */
  redirectUris: string[]
}

/** Who can sign in, by these claims. */
export type OidcUser = { sub: string; email?: string; email_verified?: boolean; name?: string }

export type OidcOptions = {
  /** 0 or undefined: a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  clients: OidcClient[]
  /** Offered on the sign-in page; anybody else can type an email there. */
  users?: OidcUser[]
  /** `aud` of the access tokens: the API that they are for. */
  audience: string
  /** Of ID and access tokens; default 300. */
  lifetimeSeconds?: number
  /** Default RS256, which every OpenID provider has to support. */
  algorithm?: Algorithm
}
