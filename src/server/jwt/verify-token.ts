import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import type { VerifyExternalToken } from '../auth/ports.ts'
import type { Clock } from '../clock.ts'
import { AppError, isAppError } from '../errors.ts'
import type { KeySet } from './key-set.ts'

/** Asymmetric ones: with HS256 whoever has the public key could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const LEEWAY_SECONDS = 60
const MAX_LENGTH = 8192
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u
/** ID tokens and access tokens (RFC 9068). An issuer signs other things for the same audience, like logout tokens. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt']

export type VerifierDeps = { issuer: string; audience: string; keys: Pick<KeySet, 'find'>; clock: Clock }

/** Checks JWTs of one issuer for one audience (RFC 7519, RFC 8725). */
export function createTokenVerifier({ issuer, audience, keys, clock }: VerifierDeps): VerifyExternalToken {
  return async (token) => {
    const { sub, email, name, auth_time, iat } = await verified(token)
    if (typeof sub !== 'string' || !SUBJECT.test(sub))
      throw rejected('It does not say whose it is: `sub` must have 1 to 255 characters.')
    return { sub, email: textOf(email), name: textOf(name), signedInAt: signedInAt(auth_time ?? iat) }
  }

  /** Of seconds since 1970. Null for what lies ahead, which would be recent for ever. */
  function signedInAt(claim: unknown): Date | null {
    if (typeof claim !== 'number') return null
    return claim * 1000 <= clock.now().getTime() + LEEWAY_SECONDS * 1000 ? new Date(claim * 1000) : null
  }

  async function verified(token: string): Promise<JWTPayload> {
    try {
      if (token.length > MAX_LENGTH) throw rejected(`It has more than ${MAX_LENGTH} characters.`)
      // Before its key is looked for: another issuer's keys are not to be found here.
      if (decodeJwt(token).iss !== issuer)
        throw rejected('Wrong issuer: `iss` is not the AUTH_JWT_ISSUER of this service.')
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        currentDate: clock.now(),
        requiredClaims: ['exp', 'sub'],
      })
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase()))
        throw rejected('It is no ID token or access token: `typ` must be JWT or at+jwt.')
      // Issuers of before that `typ` sign logout tokens as JWT; other tokens must not have the claim (Back-Channel Logout 1.0, 2.4).
      if (payload.events !== undefined) throw rejected('It is a logout token: it has `events`.')
      return payload
    } catch (error) {
      if (isAppError(error)) throw error
      throw rejected(reasonOf(error))
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'It has expired. Get a new one from its issuer.'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud')
      return 'Wrong audience: `aud` does not have the AUTH_JWT_AUDIENCE of this service.'
    if (error.claim === 'nbf') return 'It is not valid yet (`nbf`).'
    return `Its claim \`${error.claim}\` is missing or not valid.`
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'Unknown key: its issuer publishes no key for its `kid` and `alg`.'
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'Unknown key: it has no `kid`, and its issuer publishes several keys.'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'Its signature is wrong.'
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `Its algorithm is not accepted: \`alg\` must be one of ${ALGORITHMS.join(', ')}.`
  return 'It is malformed.'
}

function rejected(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The bearer token is not accepted. ${reason}`)
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}
