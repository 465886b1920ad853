/** `session`: JWE from next-auth. `jwt`: signed token (JWS). `apiKey`: `pk_...`. `userToken`: `ut_...`. `other`: always rejected. */
type CredentialKind = 'session' | 'jwt' | 'apiKey' | 'userToken' | 'other'

const SEGMENT = '[A-Za-z0-9_-]+'
/** Compact serialization (RFC 7516, 3.1) has five segments. The second is empty because the key is not sent. */
const JWE = new RegExp(`^${SEGMENT}\\.(${SEGMENT})?\\.${SEGMENT}\\.${SEGMENT}\\.${SEGMENT}$`)
/** Three segments (RFC 7515, 3.1). With `alg: none`, which is rejected with that reason, the last is empty. */
const JWS = new RegExp(`^${SEGMENT}\\.${SEGMENT}\\.(${SEGMENT})?$`)

/** Returns true if the text has the format of an API key, valid or not. */
export const isApiKey = (credential: string | undefined): boolean =>
  credential !== undefined && /^pk_[\w-]{43}$/.test(credential)

/** Classifies by form alone, so that no credential is decrypted or verified as something it cannot be. */
export function credentialKind(credential: string): CredentialKind {
  if (credential.startsWith('pk_')) return 'apiKey'
  if (credential.startsWith('ut_')) return 'userToken'
  if (JWS.test(credential)) return 'jwt'
  if (JWE.test(credential)) return 'session'
  return 'other'
}
