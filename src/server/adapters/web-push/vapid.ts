import { createPrivateKey } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { signJwt } from '../http2/sign-jwt.ts'

export type VapidConfig = {
  /** Uncompressed point in base64url; browsers get it as `applicationServerKey`. */
  publicKey: string
  /** 32 bytes in base64url. */
  privateKey: string
  /** `mailto:` or https: contact for push services. */
  subject: string
}

/** RFC 8292, 2: at most 24 hours after the request. */
const LIFETIME_MS = 12 * 3_600_000
/** Leaves time for services' different clocks, and for retries that carry the same token. */
const RENEW_AFTER_MS = 6 * 3_600_000
/** Maximum tokens in memory. Signing takes about 100 µs, so losing them costs little. */
const MAX_TOKENS = 256

/** Voluntary application server identification (RFC 8292), with one signed token per push service. */
export function createVapid({ publicKey, privateKey, subject }: VapidConfig, clock: Clock) {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((number) => number.toString('base64url'))
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' })
  const tokens = new Map<string, { value: string; createdAt: number }>()

  return {
    /** Returns the `Authorization` header for this origin, the same for six hours. */
    authorization(origin: string): string {
      const now = clock.now().getTime()
      const known = tokens.get(origin)
      if (known && Math.abs(now - known.createdAt) < RENEW_AFTER_MS) return known.value
      if (tokens.size >= MAX_TOKENS) tokens.clear()
      const exp = Math.floor((now + LIFETIME_MS) / 1000)
      const token = signJwt({ typ: 'JWT', alg: 'ES256' }, { aud: origin, exp, sub: subject }, key)
      const value = `vapid t=${token}, k=${publicKey}`
      tokens.set(origin, { value, createdAt: now })
      return value
    },
  }
}
