/** `session`: a JWE, as next-auth makes them; `jwt`: a signed token (JWS); `apiKey`: `pk_`; `other`: nothing that is accepted. */
export type CredentialKind = 'session' | 'jwt' | 'apiKey' | 'other'

const SEGMENT = '[A-Za-z0-9_-]+'
/** Compact serialization (RFC 7516, 3.1): five segments; the second is empty, as the key is not sent. */
const JWE = new RegExp(`^${SEGMENT}\\.(${SEGMENT})?\\.${SEGMENT}\\.${SEGMENT}\\.${SEGMENT}$`)
/** Three segments (RFC 7515, 3.1); the last is empty with `alg: none`, which is refused with that reason. */
const JWS = new RegExp(`^${SEGMENT}\\.${SEGMENT}\\.(${SEGMENT})?$`)

/** By form alone: no credential is decrypted or verified as what it cannot be. */
export function credentialKind(credential: string): CredentialKind {
  if (credential.startsWith('pk_')) return 'apiKey'
  if (JWS.test(credential)) return 'jwt'
  if (JWE.test(credential)) return 'session'
  return 'other'
}
