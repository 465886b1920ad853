import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { Clock } from '../clock.ts'

export type VapidConfig = {
  /** base64url of the uncompressed point; what browsers get as `applicationServerKey`. */
  publicKey: string
  /** base64url of 32 bytes. */
  privateKey: string
  /** `mailto:` or https: whom a push service turns to. */
  subject: string
}

/** RFC 8292, 2: at most 24 hours after the request. */
const LIFETIME_MS = 12 * 3_600_000
/** Services' clocks differ, and retries carry the token again. */
const RENEW_AFTER_MS = 6 * 3_600_000
/** Of push services at a time: signing takes some 100 µs, so a forgotten one costs little. */
const MAX_KEPT = 256

export type Vapid = {
  /** The `Authorization` header for this origin, the same for six hours. */
  authorization(origin: string): string
}

/** Voluntary application server identification (RFC 8292): one signed token for each push service. */
export function createVapid({ publicKey, privateKey, subject }: VapidConfig, clock: Clock): Vapid {
  const key = vapidKey(publicKey, privateKey)
  const header = encode({ typ: 'JWT', alg: 'ES256' })
  const made = new Map<string, { value: string; at: number }>()

  function make(origin: string, now: number): string {
    const exp = Math.floor((now + LIFETIME_MS) / 1000)
    const signed = `${header}.${encode({ aud: origin, exp, sub: subject })}`
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`
  }

  return {
    authorization(origin) {
      const now = clock.now().getTime()
      const known = made.get(origin)
      if (known && Math.abs(now - known.at) < RENEW_AFTER_MS) return known.value
      if (made.size >= MAX_KEPT) made.clear()
      const value = make(origin, now)
      made.set(origin, { value, at: now })
      return value
    },
  }
}

/** Whether this is the public key of that private key, both in base64url. */
export function isVapidPair(publicKey: string, privateKey: string): boolean {
  try {
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return ecdh.getPublicKey().equals(Buffer.from(publicKey, 'base64url'))
  } catch {
    return false
  }
}

/** A new pair, as browsers and this server take it. */
export function makeVapidKeys(): { publicKey: string; privateKey: string } {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys('base64url')
  // A number: it may begin with zeros.
  const privateKey = Buffer.alloc(32)
  const number = ecdh.getPrivateKey()
  number.copy(privateKey, privateKey.length - number.length)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}

function vapidKey(publicKey: string, privateKey: string): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((number) => number.toString('base64url'))
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' })
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
