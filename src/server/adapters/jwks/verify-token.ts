import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import type { VerifyExternalToken } from '../../domain/accounts/external-users.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import type { KeySet } from './key-set.ts'

/** Only asymmetric ones: with HS256, anyone with the public key could sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const LEEWAY_SECONDS = 60
const MAX_LENGTH = 8192
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u
/** ID tokens and access tokens (RFC 9068). Issuers also sign other tokens for the same audience, such as logout tokens. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt']

type VerifierDeps = { issuer: string; audience: string; keys: Pick<KeySet, 'find'>; clock: Clock }

/** Verifies JWTs of one issuer for one audience (RFC 7519, RFC 8725). */
export function createTokenVerifier({ issuer, audience, keys, clock }: VerifierDeps): VerifyExternalToken {
  return async (token) => {
    const { sub, email, name, auth_time, iat } = await verified(token)
    if (typeof sub !== 'string' || !SUBJECT.test(sub))
      throw rejected('It names no user: `sub` must have 1 to 255 characters.')
    return { sub, email: textOf(email), name: textOf(name), signedInAt: signedInAt(auth_time ?? iat) }
  }

  /** Converts seconds since 1970. Returns null for the future, which would count as recent forever. */
  function signedInAt(claim: unknown): Date | null {
    if (typeof claim !== 'number') return null
    return claim * 1000 <= clock.now().getTime() + LEEWAY_SECONDS * 1000 ? new Date(claim * 1000) : null
  }

  async function verified(token: string): Promise<JWTPayload> {
    try {
      if (token.length > MAX_LENGTH) throw rejected(`It has more than ${MAX_LENGTH} characters.`)
      // Checked before the key, because the keys of other issuers are never found.
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
        throw rejected('It is not an ID token or access token: `typ` must be JWT or at+jwt.')
      // Older issuers sign logout tokens as JWT. Other tokens must not have this claim (Back-Channel Logout 1.0, 2.4).
      if (payload.events !== undefined) throw rejected('It is a logout token, because it has `events`.')
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
      return 'Wrong audience: `aud` does not contain the AUTH_JWT_AUDIENCE of this service.'
    if (error.claim === 'nbf') return 'It is not valid yet (`nbf`).'
    return `Its claim \`${error.claim}\` is missing or invalid.`
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'Unknown key: the issuer publishes no key for its `kid` and `alg`.'
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'Unknown key: it has no `kid`, and the issuer publishes several keys.'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'Its signature is wrong.'
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `Its algorithm is not supported: \`alg\` must be one of ${ALGORITHMS.join(', ')}.`
  return 'It is malformed.'
}

function rejected(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The bearer token is invalid. ${reason}`)
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}
