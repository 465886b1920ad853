import { checkNothingUnsigned, checkScope, credentialFor } from './auth-checks.ts'
import { s3Error } from './errors.ts'
import { authenticatePresigned } from './presigned.ts'
import { type AuthRules, payloadMode, type SignedRequest, verify } from './signature.ts'
import { ALGORITHM, parseCredential, parseTimestamp, scopeText, signingKey } from './sigv4.ts'
import type { Auth } from './types.ts'

const MAX_SKEW_MS = 15 * 60 * 1000

/**
 * Checks the signature of a request, in the header or in the query. A request without signature is `none`.
 * @throws S3Error with AWS's code for each fault
 */
export function authenticate(request: SignedRequest, rules: AuthRules): Auth {
  const authorization = request.headers.authorization
  const inQuery = request.query.some(([name]) => /^x-amz-(algorithm|signature)$/i.test(name))
  const v2InQuery = request.query.some(([name]) => name === 'Signature' || name === 'AWSAccessKeyId')
  if (v2InQuery) throw unsupportedMechanism()
  if (authorization !== undefined && inQuery) {
    throw s3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    )
  }
  if (inQuery) return authenticatePresigned(request, rules)
  if (authorization !== undefined) return authenticateHeader(request, authorization, rules)
  return { kind: 'none', payload: payloadMode(request.headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD') }
}

function unsupportedMechanism(): Error {
  return s3Error(
    'InvalidRequest',
    'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  )
}

function authenticateHeader(request: SignedRequest, authorization: string, rules: AuthRules): Auth {
  if (!authorization.startsWith(ALGORITHM)) throw unsupportedMechanism()
  const fields = new Map<string, string>()
  for (const piece of authorization.slice(ALGORITHM.length).split(',')) {
    const equals = piece.indexOf('=')
    if (equals > 0) fields.set(piece.slice(0, equals).trim(), piece.slice(equals + 1).trim())
  }
  const credentialText = fields.get('Credential')
  const signedText = fields.get('SignedHeaders')
  const signature = fields.get('Signature')
  const scope = credentialText === undefined ? undefined : parseCredential(credentialText)
  if (!scope || !signedText || !signature) {
    throw s3Error('AuthorizationHeaderMalformed', 'The authorization header is malformed.')
  }
  const timestamp = request.headers['x-amz-date'] ?? basicTimestamp(request.headers.date)
  const at = timestamp === undefined ? undefined : parseTimestamp(timestamp)
  if (timestamp === undefined || at === undefined) {
    throw s3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  }
  checkScope(scope, timestamp, rules.region, 'header')
  const credential = credentialFor(scope, rules.credentials, request.headers['x-amz-security-token'])
  if (Math.abs(rules.now - at) > MAX_SKEW_MS) {
    throw s3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: timestamp,
      ServerTime: new Date(rules.now).toISOString(),
      MaxAllowedSkewMilliseconds: MAX_SKEW_MS,
    })
  }
  const payloadHash = request.headers['x-amz-content-sha256']
  if (payloadHash === undefined) {
    throw s3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  }
  const signedHeaders = signedText.split(';')
  checkNothingUnsigned(request, signedHeaders, 'header', rules)
  const payload = payloadMode(payloadHash)
  verify({ request, credential, scope, timestamp, signedHeaders, signature, payloadHash })
  const key = signingKey(credential.secretAccessKey, scope)
  return {
    kind: 'header',
    accessKeyId: credential.accessKeyId,
    access: credential.access,
    payload,
    seed: { key, timestamp, scope: scopeText(scope), signature },
  }
}

/** Converts a `Date` header to the format of the string to sign. */
function basicTimestamp(date: string | undefined): string | undefined {
  if (date === undefined) return undefined
  const ms = Date.parse(date)
  if (Number.isNaN(ms)) return undefined
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
}
