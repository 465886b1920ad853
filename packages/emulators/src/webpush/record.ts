import { ECDH } from 'node:crypto'

/** Header of `aes128gcm` (RFC 8188, 2.1): salt, record size, length of the key ID, key ID. */
const SALT_BYTES = 16
const FIXED_BYTES = SALT_BYTES + 4 + 1
const KEY_BYTES = 65
const TAG_BYTES = 16
/** RFC 8188: "values smaller than 18 are invalid". */
const MIN_RECORD_BYTES = 18

/**
 * Returns true if a body is one record according to RFC 8291 (4): the key ID is the sender's public key, and the record
 * fits the record size. More cannot be checked without the browser's private key.
 */
export function isRecord(body: Buffer): boolean {
  if (body.length < FIXED_BYTES + KEY_BYTES + TAG_BYTES + 1) return false
  const recordBytes = body.readUInt32BE(SALT_BYTES)
  const record = body.length - FIXED_BYTES - KEY_BYTES
  if (body[FIXED_BYTES - 1] !== KEY_BYTES || recordBytes < MIN_RECORD_BYTES || record > recordBytes)
    return false
  return isPoint(body.subarray(FIXED_BYTES, FIXED_BYTES + KEY_BYTES))
}

function isPoint(key: Buffer): boolean {
  if (key[0] !== 4) return false
  try {
    ECDH.convertKey(key, 'prime256v1')
    return true
  } catch {
    return false
  }
}
