import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto'

/** RFC 8291, 3.1: the receiver's keys, created by the browser. */
type SubscriptionKeys = { p256dh: string; auth: string }

const RECORD_BYTES = 4096
const SALT_BYTES = 16
const TAG_BYTES = 16
const PUBLIC_KEY_BYTES = 65
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES

/** RFC 8291, 4: push services accept bodies of 4,096 bytes, including header, tag and delimiter. */
export const MAX_PLAINTEXT_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1

const KEY_INFO = Buffer.from('WebPush: info\0')
const CEK_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01')
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01')
const COUNTER = Buffer.from([1])
/** RFC 8188, 2: ends the last record. */
const DELIMITER = Buffer.from([2])
/** Record size (4,096, big-endian) and key length. */
const RECORD_SIZE_AND_KEY_LENGTH = Buffer.from([0, 0, RECORD_BYTES >> 8, 0, PUBLIC_KEY_BYTES])

/**
 * Encrypts a push message as RFC 8291 specifies: one record of `aes128gcm` (RFC 8188) with its own key pair and salt.
 * Synchronous, because OpenSSL's asynchronous calls take twice the CPU (docs/performance.md).
 * @throws Error if `p256dh` is not a point of P-256
 */
export function encrypt(plaintext: Buffer, { p256dh, auth }: SubscriptionKeys): Buffer {
  const receiver = Buffer.from(p256dh, 'base64url')
  const sender = createECDH('prime256v1')
  const senderKey = sender.generateKeys()
  const shared = hmac(Buffer.from(auth, 'base64url'), sender.computeSecret(receiver))
  const ikm = hmac(shared, KEY_INFO, receiver, senderKey, COUNTER)
  const salt = randomBytes(SALT_BYTES)
  const prk = hmac(salt, ikm)
  const key = hmac(prk, CEK_INFO).subarray(0, 16)
  const nonce = hmac(prk, NONCE_INFO).subarray(0, 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  return Buffer.concat([
    salt,
    RECORD_SIZE_AND_KEY_LENGTH,
    senderKey,
    cipher.update(plaintext),
    cipher.update(DELIMITER),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** One step of HKDF (RFC 5869). All keys here fit into one block. */
function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}
