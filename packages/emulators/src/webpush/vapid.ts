import { createPublicKey, ECDH } from 'node:crypto'
import { isSignedEs256, type Jws, parseJws } from '../gateway/jws.ts'
import type { Reason } from './reasons.ts'

/** RFC 8292, 2: "MUST NOT be more than 24 hours from the time of the request". */
const MAX_LIFETIME_SECONDS = 86_400
const KEY_BYTES = 65
const REMEMBERED_TOKENS = 1000

type Verified = { claims: Jws['claims']; key: string; audience: string }

/** Checks `Authorization: vapid t=TOKEN, k=KEY` (RFC 8292) for a push service at this origin. */
export class VapidTokens {
  readonly #verified = new Map<string, Verified>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Checks the header. Returns the key that signed it (base64url), or the reason for rejection. */
  check(authorization: string | undefined, origin: string): { reason: Reason } | { key: string } {
    if (authorization === undefined) return { reason: 'MissingVapid' }
    const known = this.#verified.get(authorization)
    const checked = known?.audience === origin ? known : verify(authorization, origin)
    if ('reason' in checked) return checked
    const { exp } = checked.claims
    const now = this.#now() / 1000
    if (!Number.isInteger(exp) || Number(exp) <= now || Number(exp) > now + MAX_LIFETIME_SECONDS)
      return { reason: 'BadExpiration' }
    if (this.#verified.size >= REMEMBERED_TOKENS) this.#verified.clear()
    this.#verified.set(authorization, checked)
    return { key: checked.key }
  }
}

function verify(authorization: string, origin: string): { reason: Reason } | Verified {
  const parameters = /^vapid\s+(.+)$/i.exec(authorization)?.[1]
  if (!parameters) return { reason: 'MissingVapid' }
  const given = new Map(
    parameters.split(',').map((parameter): [string, string] => {
      const [name = '', ...value] = parameter.trim().split('=')
      return [name.toLowerCase(), value.join('=').replace(/^"(.*)"$/, '$1')]
    }),
  )
  const jws = parseJws(given.get('t') ?? '')
  const key = given.get('k') ?? ''
  if (jws?.header.alg !== 'ES256' || !isServerKey(key)) return { reason: 'BadVapid' }
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  if (!isSignedEs256(jws, publicKey)) return { reason: 'BadSignature' }
  const { aud, sub } = jws.claims
  if (aud !== origin) return { reason: 'BadAudience' }
  // Optional in RFC 8292, but required by Apple and Mozilla.
  if (typeof sub !== 'string' || !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+)$/.test(sub))
    return { reason: 'BadSubject' }
  return { claims: jws.claims, key: point.toString('base64url'), audience: origin }
}

/** Returns true for an uncompressed P-256 point in base64url. */
export function isServerKey(text: string): boolean {
  if (!/^[\w-]+=*$/.test(text)) return false
  const point = Buffer.from(text, 'base64url')
  if (point.length !== KEY_BYTES || point[0] !== 4) return false
  try {
    ECDH.convertKey(point, 'prime256v1')
    return true
  } catch {
    return false
  }
}
