import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Creates and checks HMAC-SHA256 signatures in base64url, whose key is derived from NEXTAUTH_SECRET for one purpose. The
 * first of `secrets` is the current one; the others are from a rotation.
 */
export function createSigner(secrets: readonly string[], purpose: string) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  const signWith = (key: Buffer, content: string | Buffer) =>
    createHmac('sha256', key).update(content).digest('base64url')
  return {
    sign: (content: string | Buffer): string => signWith(keys[0]!, content),
    /** Returns the signature of each secret, the current one first. */
    signatures: (content: string): string[] => keys.map((key) => signWith(key, content)),
    /** Returns true if one of the secrets signed the content. */
    isSigned(content: string | Buffer, signature: string): boolean {
      const given = Buffer.from(signature)
      return (
        given.length === 43 && keys.some((key) => timingSafeEqual(Buffer.from(signWith(key, content)), given))
      )
    },
  }
}
