import { createECDH } from 'node:crypto'

/** Returns true if the public key belongs to the private key. Both are in base64url. */
export function isVapidPair(publicKey: string, privateKey: string): boolean {
  try {
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return ecdh.getPublicKey().equals(Buffer.from(publicKey, 'base64url'))
  } catch {
    return false
  }
}

/** Creates a key pair in the form that browsers and this server accept. */
export function createVapidKeys(): { publicKey: string; privateKey: string } {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys('base64url')
  // Node drops leading zeros, but VAPID needs all 32 bytes.
  const key = ecdh.getPrivateKey()
  const padded = Buffer.concat([Buffer.alloc(32 - key.length), key])
  return { publicKey, privateKey: padded.toString('base64url') }
}
