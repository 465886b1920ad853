import { createDecipheriv, type ECDH, hkdfSync } from 'node:crypto'

const SALT_BYTES = 16
const KEY_BYTES = 65
const TAG_BYTES = 16

/**
 * Decrypts the body of a push as a browser does (RFC 8291, RFC 8188).
 * @throws Error if it was encrypted for other keys or modified
 */
export function decrypt(body: Buffer, keys: { ecdh: ECDH; auth: Buffer }): Buffer {
  const salt = body.subarray(0, SALT_BYTES)
  const idLength = body[SALT_BYTES + 4]!
  const sender = body.subarray(SALT_BYTES + 5, SALT_BYTES + 5 + idLength)
  const record = body.subarray(SALT_BYTES + 5 + idLength)
  if (idLength !== KEY_BYTES) throw new Error('The key ID must be a public key of 65 bytes')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.ecdh.getPublicKey(), sender])
  const ikm = Buffer.from(hkdfSync('sha256', keys.ecdh.computeSecret(sender), keys.auth, info, 32))
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', ikm, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-TAG_BYTES))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()])
  let end = padded.length - 1
  while (padded[end] === 0) end--
  if (padded[end] !== 2) throw new Error('The last record must end with the delimiter 2 and zeros')
  return padded.subarray(0, end)
}
