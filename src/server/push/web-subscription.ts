import { ECDH } from 'node:crypto'
import { z } from 'zod'

const MAX_ENDPOINT = 2048
const P256DH_BYTES = 65
const AUTH_BYTES = 16

/** base64url, as browsers give it, with or without padding; normalized to none. */
const bytes = (count: number, what: string) =>
  z
    .string({ error: 'must be a string' })
    .refine(
      (text) => /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === count,
      `must be ${what} (base64url of ${count} bytes)`,
    )
    .transform((text) => Buffer.from(text, 'base64url').toString('base64url'))

const p256dh = bytes(P256DH_BYTES, 'the public key of the subscription').refine(
  isPointOfP256,
  'must be an uncompressed point on the curve P-256',
)

/**
 * A PushSubscription, as the browser's `toJSON()` gives it (W3C Push API). Which endpoints may be called depends on the
 * configuration: see `checkEndpoint`.
 */
export const webSubscription = z.strictObject({
  endpoint: z
    .string({ error: 'must be a string' })
    .max(MAX_ENDPOINT, `must have at most ${MAX_ENDPOINT} characters`)
    .regex(/^https:\/\/[\x21-\x7e]+$/, 'must be an https URL')
    .refine((text) => URL.canParse(text), 'must be an https URL'),
  /** Ignored: a push service says itself when a subscription has ended. */
  expirationTime: z.number().nullish(),
  keys: z.strictObject({ p256dh, auth: bytes(AUTH_BYTES, 'the authentication secret of the subscription') }),
})

function isPointOfP256(text: string): boolean {
  const key = Buffer.from(text, 'base64url')
  if (key[0] !== 4) return false
  try {
    ECDH.convertKey(key, 'prime256v1')
    return true
  } catch {
    return false
  }
}
