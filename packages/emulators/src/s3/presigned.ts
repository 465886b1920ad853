import { checkNothingUnsigned, checkScope, credentialFor } from './auth-checks.ts'
import { s3Error } from './errors.ts'
import { type AuthRules, payloadMode, type SignedRequest, verify } from './signature.ts'
import { ALGORITHM, parseCredential, parseTimestamp, scopeText, signingKey } from './sigv4.ts'
import type { Auth } from './types.ts'

const MAX_EXPIRES_SECONDS = 604_800
const MAX_AHEAD_MS = 15 * 60 * 1000
const REQUIRED = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Signature',
  'X-Amz-Date',
  'X-Amz-SignedHeaders',
  'X-Amz-Expires',
] as const

function invalid(message: string) {
  return s3Error('AuthorizationQueryParametersError', message)
}

/**
 * Validates a presigned URL.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 * @throws S3Error AuthorizationQueryParametersError (400) for a malformed URL, AccessDenied (403)
 *   "Request has expired", and the errors of `auth-checks.ts` and `verify`
 */
export function authenticatePresigned(request: SignedRequest, rules: AuthRules): Auth {
  const given = new Map(request.query)
  for (const name of REQUIRED) {
    if (!given.get(name)) {
      throw invalid(
        'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
      )
    }
  }
  const get = (name: (typeof REQUIRED)[number]): string => given.get(name) ?? ''
  if (get('X-Amz-Algorithm') !== ALGORITHM) throw invalid('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"')
  const scope = parseCredential(get('X-Amz-Credential'))
  if (!scope) {
    throw invalid(
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  }
  const timestamp = get('X-Amz-Date')
  const at = parseTimestamp(timestamp)
  if (at === undefined)
    throw invalid("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  checkScope(scope, timestamp, rules.region, 'query')
  const credential = credentialFor(scope, rules.credentials, given.get('X-Amz-Security-Token'))
  checkTime(at, get('X-Amz-Expires'), rules.now)
  const signedHeaders = get('X-Amz-SignedHeaders').split(';')
  checkNothingUnsigned(request, signedHeaders, 'query', rules)
  const payloadHash =
    given.get('X-Amz-Content-Sha256') ?? request.headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'
  const signature = get('X-Amz-Signature')
  verify({ request, credential, scope, timestamp, signedHeaders, signature, payloadHash })
  const key = signingKey(credential.secretAccessKey, scope)
  return {
    kind: 'presigned',
    accessKeyId: credential.accessKeyId,
    access: credential.access,
    payload: payloadMode(payloadHash),
    seed: { key, timestamp, scope: scopeText(scope), signature },
  }
}

function checkTime(at: number, expires: string, now: number): void {
  if (!/^-?\d+$/.test(expires)) throw invalid('X-Amz-Expires should be a number')
  const seconds = Number(expires)
  if (seconds < 1) throw invalid('X-Amz-Expires must be greater than 0')
  if (seconds > MAX_EXPIRES_SECONDS) {
    throw invalid(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    )
  }
  if (at - now > MAX_AHEAD_MS) throw s3Error('AccessDenied', 'Request is not valid yet')
  if (now > at + seconds * 1000) {
    throw s3Error('AccessDenied', 'Request has expired', {
      'X-Amz-Expires': seconds,
      Expires: new Date(at + seconds * 1000).toISOString(),
      ServerTime: new Date(now).toISOString(),
    })
  }
}
