import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

export type Algorithm = 'RS256' | 'ES256'

/** Key pair that signs tokens. `jwk` is its public key, as the issuer publishes it. */
export type SigningKey = {
  kid: string
  alg: Algorithm
  privateKey: KeyObject
  publicKey: KeyObject
  jwk: Record<string, unknown>
}

export function createSigningKey(alg: Algorithm): SigningKey {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomUUID()
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, publicKey, jwk }
}

/** Signs a JSON Web Signature in compact form (RFC 7515). `header` overrides `{ alg, kid, typ: 'JWT' }`. */
export function signJwt(key: SigningKey, claims: object, header: object = {}): string {
  const input = `${segment({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })}.${segment(claims)}`
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
