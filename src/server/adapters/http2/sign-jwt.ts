import { type KeyObject, sign } from 'node:crypto'

/** Returns a JWT with an ES256 signature. Synchronous, so that two renewals of a shared token cannot overlap. */
export function signJwt(header: object, claims: object, key: KeyObject): string {
  const [head, body] = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signed = `${head}.${body}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
