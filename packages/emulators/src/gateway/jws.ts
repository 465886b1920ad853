import { type KeyObject, verify } from 'node:crypto'

/** Parsed JSON Web Signature in compact form. Its signature is not verified yet. */
export type Jws = {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly signed: string
  readonly signature: Buffer
}

const SEGMENT = /^[A-Za-z0-9_-]+$/

/** Parses three base64url segments, the first two of which must be JSON objects (RFC 7515). Returns null otherwise. */
export function parseJws(text: string): Jws | null {
  const [header, claims, signature, ...rest] = text.split('.')
  if (!header || !claims || !signature || rest.length > 0) return null
  if (![header, claims, signature].every((segment) => SEGMENT.test(segment))) return null
  const parsedHeader = objectIn(header)
  const parsedClaims = objectIn(claims)
  if (!parsedHeader || !parsedClaims) return null
  return {
    header: parsedHeader,
    claims: parsedClaims,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Verifies ES256: ECDSA on P-256 with SHA-256, the signature as two 32-byte numbers (RFC 7518, 3.4). */
export function isSignedEs256(jws: Jws, publicKey: KeyObject): boolean {
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
  return jws.signature.length === 64 && verify('sha256', Buffer.from(jws.signed), key, jws.signature)
}

/** Verifies RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3). */
export function isSignedRs256(jws: Jws, publicKey: KeyObject): boolean {
  return verify('sha256', Buffer.from(jws.signed), publicKey, jws.signature)
}

function objectIn(segment: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
