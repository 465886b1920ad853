import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { isIssuerUrl } from '../../kernel/loopback.ts'

/** Limit for both requests together, because a caller may be waiting. */
const TIMEOUT_MS = 3_000
/** Large issuers publish about 10 KB. */
const MAX_BYTES = 512 * 1024

type Issuer = {
  /** Exactly as in the tokens' `iss`. */
  issuer: string
  /** Undefined: named by the issuer's discovery document. */
  jwksUrl: string | undefined
}

export type LoadKeys = (signal: AbortSignal) => Promise<JSONWebKeySet>

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** Loads the issuer's public keys (RFC 7517), found as OpenID Connect Discovery 1.0, section 4, defines. */
export function createLoadKeys({ issuer, jwksUrl }: Issuer): LoadKeys {
  return async (closing) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)])
    return keySet.parse(await getJson(jwksUrl ?? (await discover(signal)), signal))
  }

  async function discover(signal: AbortSignal): Promise<string> {
    const url = discoveryUrl(issuer)
    const found = discovery.parse(await getJson(url, signal))
    if (found.issuer !== issuer)
      throw new Error(`${url} names the issuer ${found.issuer}, but AUTH_JWT_ISSUER is ${issuer}`)
    if (!isIssuerUrl(found.jwks_uri)) throw new Error(`jwks_uri of ${url} is neither https nor on loopback`)
    return found.jwks_uri
  }
}

/** OpenID Connect Discovery 1.0, 4.1. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`${url} returned more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
